import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { CatalogueAdmin } from '../../../core/catalogue/ports.ts'
import type { Posting } from '../../../core/catalogue/posting.ts'
import { mapAtOnce } from '../../../core/work-at-once.ts'
import { at } from '../../../schema/at.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { queryBelow, readItems } from '../dynamo-client.ts'
import { packLines, unpackLines } from '../packed-lines.ts'
import { storedTime } from '../stored-fields.ts'
import { tableWrites } from '../table-writes.ts'

const partSchema = v.object({ postings: v.instance(Uint8Array) })

const segmentSchema = v.object({
  item: v.string(),
  created_at: storedTime,
  /** The first and second character of keys, and how many parts have them. */
  parts: v.array(v.tuple([v.string(), v.string(), v.number()])),
})

type WordIndex = Pick<
  CatalogueAdmin,
  'isIndexed' | 'findPostings' | 'findPostingsOf' | 'addPostings' | 'listSegments' | 'removeSegment'
>

/** Number of prefixes of the index that are read concurrently. */
const prefixesAtOnce = 10

/** Stores the index of words in the contents table. */
export function createDynamoWordIndex(client: DynamoDBDocumentClient, table: string): WordIndex {
  const { put, putAll, remove, removeAll } = tableWrites(client, table)
  // An index is never taken away.
  let isWhole = false

  /** Reads the parts of a prefix, the first two characters of keys. */
  async function* readParts(prefix: string): AsyncGenerator<readonly string[]> {
    const [first = '', second = ''] = prefix
    for await (const item of queryBelow(client, table, { ...contentsKey.indexPart(first, '', '', 0), item: second }))
      yield unpackLines(v.parse(partSchema, item).postings)
  }

  return {
    isIndexed: async () => {
      isWhole ||= (await readItems(client, table, [contentsKey.indexed])).length > 0
      return isWhole
    },

    findPostings: async (start, { isKey = () => true, isKept = () => true, limit } = {}) => {
      const postings: Posting[] = []
      for await (const lines of readParts(prefixOf(start)))
        for (const posting of readPostings(lines, (key) => key.startsWith(start) && isKey(key))) {
          if (isKept(posting)) postings.push(posting)
          if (postings.length === limit) return postings
        }
      return postings
    },

    findPostingsOf: async (keys) => {
      const prefixes = Map.groupBy(new Set(keys), prefixOf)
      const postings = await mapAtOnce([...prefixes], prefixesAtOnce, async ([prefix, keysOfPrefix]) => {
        const distinctKeys = new Set(keysOfPrefix)
        const parts = await Array.fromAsync(readParts(prefix), (lines) => [
          ...readPostings(lines, (key) => distinctKeys.has(key)),
        ])
        return parts.flat()
      })
      return postings.flat()
    },

    addPostings: async ({ segmentId, createdAt }, postings, whole) => {
      const prefixes = [...Map.groupBy(postings, ({ key: [first = '', second = ''] }) => `${first}\t${second}`)].map(
        ([prefix, some]) => {
          const [first = '', second = ''] = prefix.split('\t')
          return { first, second, packedParts: packLines(some.map(writeLine)) }
        },
      )
      const parts = prefixes.map(({ first, second, packedParts }) => [first, second, packedParts.length])
      // Written first, so that what a killed write leaves behind can be removed.
      await put({ ...contentsKey.indexSegment(segmentId), created_at: createdAt.toISOString(), parts })
      const items = prefixes.values().flatMap(({ first, second, packedParts }) =>
        packedParts.values().map((packed, part) => {
          return { ...contentsKey.indexPart(first, second, segmentId, part), postings: packed }
        }),
      )
      await putAll(items)
      if (whole !== undefined) await put(contentsKey.indexed)
    },

    listSegments: () =>
      Array.fromAsync(queryBelow(client, table, contentsKey.indexSegment('')), (stored) => {
        const { item, created_at } = v.parse(segmentSchema, stored)
        return { segmentId: item, createdAt: created_at }
      }),

    removeSegment: async (segmentId) => {
      const segment = contentsKey.indexSegment(segmentId)
      const [stored] = await readItems(client, table, [segment])
      if (stored === undefined) return
      const keys = v
        .parse(segmentSchema, stored)
        .parts.flatMap(([first, second, count]) =>
          Array.from({ length: count }, (_, part) => contentsKey.indexPart(first, second, segmentId, part)),
        )
      await removeAll(keys)
      await remove(segment)
    },
  }
}

/** No name has a control character. A variant's entry is named after its plan, which is not repeated. */
const writeLine = ({ key, payer, name, variant }: Posting) => [key, payer, name, variant.slice(name.length)].join('\t')

/** Reads the postings whose keys match. Lines are sorted, so a key is tested once for many of them. */
function* readPostings(lines: readonly string[], isKey: (key: string) => boolean): Generator<Posting> {
  let start = ''
  let isMatch = false
  for (const line of lines) {
    if (start === '' || !line.startsWith(start)) {
      const key = line.slice(0, line.indexOf('\t'))
      start = `${key}\t`
      isMatch = isKey(key)
    }
    if (isMatch) yield parseLine(line)
  }
}

function parseLine(line: string): Posting {
  const parts = line.split('\t')
  const [name, variant] = [at(parts, 2), at(parts, 3)]
  return { key: at(parts, 0), payer: at(parts, 1), name, variant: variant === '' ? '' : `${name}${variant}` }
}

/** Keys are stored by their first two characters. */
const prefixOf = (key: string): string => [...key].slice(0, 2).join('')
