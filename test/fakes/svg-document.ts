/**
 * The few parts of a document that Plot needs to draw where there is no browser, so that the page's pictures can be read
 * by tests: elements that hold attributes, styles and children, and their text as XML.
 */
import { escapeXml } from "../../src/web/svg-text.ts";

interface TextNode {
  readonly nodeType: 3;
  readonly text: string;
  parentNode: ElementNode | null;
}

export interface ElementNode {
  readonly nodeType: 1;
  readonly tagName: string;
  readonly namespaceURI: string;
  readonly ownerDocument: SvgDocument;
  readonly attributes: Map<string, string>;
  readonly style: { [name: string]: unknown };
  childNodes: (ElementNode | TextNode)[];
  parentNode: ElementNode | null;
}

export interface SvgDocument {
  readonly documentElement: ElementNode;
  createElementNS(namespace: string, name: string): ElementNode;
  createElement(name: string): ElementNode;
  createTextNode(text: string): TextNode;
}

const HTML_NAMESPACE = "http://www.w3.org/1999/xhtml";

export function createSvgDocument(): SvgDocument {
  const createElementNS = (namespace: string, name: string): ElementNode => createElement(document, namespace, name);
  const document: SvgDocument = {
    get documentElement() {
      return root;
    },
    createElementNS,
    createElement: (name) => createElementNS(HTML_NAMESPACE, name),
    createTextNode: (text) => ({ nodeType: 3, text: String(text), parentNode: null }),
  };
  const root = createElement(document, HTML_NAMESPACE, "html");
  return document;
}

/** The element as XML. `namespace`: true for the outermost, which names the SVG namespace. */
export function toXml(node: ElementNode | TextNode, isOutermost = true): string {
  if (node.nodeType === 3) return escapeXml(node.text);
  // Plot labels its groups ("bar", "rule"), which mean nothing inside an image.
  const named = [...node.attributes].filter(([name]) => name !== "aria-label" || node.tagName !== "g");
  const attributes = named.map(([name, value]) => ` ${name}="${escapeXml(value)}"`);
  const style = toStyleText(node.style);
  if (style !== "") attributes.push(` style="${escapeXml(style)}"`);
  if (isOutermost) attributes.unshift(` xmlns="${node.namespaceURI}"`);
  const children = node.childNodes.map((child) => toXml(child, false)).join("");
  return `<${node.tagName}${attributes.join("")}>${children}</${node.tagName}>`;
}

function createElement(ownerDocument: SvgDocument, namespaceURI: string, tagName: string): ElementNode {
  const attributes = new Map<string, string>();
  const element = {
    nodeType: 1 as const,
    tagName,
    namespaceURI,
    ownerDocument,
    attributes,
    style: createStyle(),
    childNodes: [] as (ElementNode | TextNode)[],
    parentNode: null as ElementNode | null,
    setAttribute: (name: string, value: unknown) => void attributes.set(name, String(value)),
    setAttributeNS: (_namespace: string, name: string, value: unknown) => void attributes.set(name, String(value)),
    getAttribute: (name: string) => attributes.get(name) ?? null,
    hasAttribute: (name: string) => attributes.has(name),
    removeAttribute: (name: string) => void attributes.delete(name),
    appendChild: (child: ElementNode | TextNode) => insert(element, child, null),
    insertBefore: (child: ElementNode | TextNode, before: ElementNode | TextNode | null) =>
      insert(element, child, before),
    removeChild: (child: ElementNode | TextNode) => remove(element, child),
    get children() {
      return element.childNodes.filter((child) => child.nodeType === 1);
    },
    set textContent(text: string) {
      element.childNodes = [{ nodeType: 3, text: String(text), parentNode: element }];
    },
  };
  return element;
}

function insert<Child extends ElementNode | TextNode>(
  parent: ElementNode,
  child: Child,
  before: ElementNode | TextNode | null,
): Child {
  if (child.parentNode !== null) remove(child.parentNode, child);
  const index = before === null ? -1 : parent.childNodes.indexOf(before);
  parent.childNodes.splice(index < 0 ? parent.childNodes.length : index, 0, child);
  child.parentNode = parent;
  return child;
}

function remove<Child extends ElementNode | TextNode>(parent: ElementNode, child: Child): Child {
  parent.childNodes = parent.childNodes.filter((other) => other !== child);
  child.parentNode = null;
  return child;
}

/** Set by `setProperty` with CSS names, or as fields with camel-case ones. */
function createStyle(): { [name: string]: unknown } {
  const style: { [name: string]: unknown } = {};
  const hidden = (value: unknown) => ({ value, enumerable: false });
  return Object.defineProperties(style, {
    setProperty: hidden((name: string, value: string) => {
      style[name] = value;
    }),
    removeProperty: hidden((name: string) => {
      delete style[name];
    }),
  });
}

function toStyleText(style: { readonly [name: string]: unknown }): string {
  return Object.entries(style)
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${String(value)}`)
    .join(";");
}
