/** The text of an answer from elsewhere, never more of it than is wanted. */

/** The whole body as text; null when it is longer than `bytesMax`. Rejects when it breaks off. */
export async function readBoundedText(response: Response, bytesMax: number): Promise<string | null> {
  if (response.body === null) return "";
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > bytesMax) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}
