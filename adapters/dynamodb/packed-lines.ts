import { gunzipSync, gzipSync } from 'node:zlib'

/** Maximum bytes of an item's text, which compresses to a fifth or less and to no more than the 400 KB of an item. */
const maxText = 390_000

/** Packs as many lines into each compressed text as an item holds; sorted, because they then compress well. */
export function packLines(lines: readonly string[]): readonly Uint8Array[] {
  const texts: string[][] = []
  let bytes = maxText
  for (const line of lines.toSorted()) {
    const size = Buffer.byteLength(line) + 1
    bytes += size
    if (bytes > maxText) {
      texts.push([])
      bytes = size
    }
    texts.at(-1)?.push(line)
  }
  return texts.map((text) => gzipSync(text.join('\n')))
}

/** Returns the lines of a compressed text. */
export const unpackLines = (packed: Uint8Array): readonly string[] => gunzipSync(packed).toString().split('\n')
