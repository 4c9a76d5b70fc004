import { gunzipSync, gzipSync } from 'node:zlib'

/** Maximum bytes of an item's attribute, less than the 400 KB of an item. Source: DynamoDB, "Service quotas". */
const maxItem = 390_000

/**
 * Packs as many lines into each compressed text as an item holds; sorted, because they then compress well.
 *
 * @param maxText maximum bytes of a text before it is compressed, because a read unpacks all of it @default - an item's
 */
export function packLines(lines: readonly string[], maxText = maxItem): readonly Uint8Array[] {
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
  return texts.flatMap(compress)
}

/** Most texts compress to a fifth or less; others are halved until they fit. */
function compress(lines: readonly string[]): readonly Uint8Array[] {
  const compressed = gzipSync(lines.join('\n'))
  if (compressed.length <= maxItem || lines.length < 2) return [compressed]
  const half = Math.ceil(lines.length / 2)
  return [...compress(lines.slice(0, half)), ...compress(lines.slice(half))]
}

/** Returns the lines of a compressed text. */
export const unpackLines = (packed: Uint8Array): readonly string[] => gunzipSync(packed).toString().split('\n')
