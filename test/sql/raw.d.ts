/** Files that tests in workerd read as text, through the bundler: there is no file system. */
declare module "*?raw" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the shape in which the bundler gives a text.
  export default text;
}
