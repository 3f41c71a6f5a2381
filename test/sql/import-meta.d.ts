/** Files that tests in workerd read as text, through the bundler: there is no file system. */
interface ImportMeta {
  glob(
    pattern: string | readonly string[],
    options: { readonly query: "?raw"; readonly import: "default"; readonly eager: true },
  ): Readonly<Record<string, string>>;
}
