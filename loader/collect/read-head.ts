import { resolveLocation } from '../../fetch/file-address.ts'
import { openPublishedBytes, type ReadingOptions } from '../../fetch/published-bytes.ts'
import { Findings } from '../decode/findings.ts'
import { type FileHeader, readProviderReference } from '../decode/in-network-file.ts'
import { type Position, pathOf } from '../decode/json/json-object.ts'
import { JsonStream, tooLong, wholeObject } from '../decode/json/json-stream.ts'
import { PublishedObject } from '../decode/published-object.ts'
import { readArray } from '../decode/read-values.ts'
import { newRoot, readFields, readRootHeader, refuseOtherKind } from './read-in-network.ts'

/** Maximum length of a file's head, in bytes of its text. */
const maxHeadBytes = 1 << 22

/** The fields of a file before its rates. */
export interface FileHead {
  readonly header: FileHeader
  /** The names of the root's fields in the head. */
  readonly fields: ReadonlySet<string>
  /** The provider references whose groups are in other files. */
  readonly linked: readonly LinkedReference[]
  /** False if no rates begin in the first 4 MB of the text, which are then the head. */
  readonly reachesRates: boolean
}

export interface LinkedReference {
  /** Its address, resolved against that of the file after redirects. */
  readonly location: string
  /** JSON path of the reference. */
  readonly path: string
}

/** Thrown to stop reading a file where its head ends. */
class HeadEnds extends Error {}

/**
 * Reads the fields of a file before its rates. Fields may come in any order, so more of them may follow the rates.
 *
 * @throws FileFault, LoadRefused for a fault of the head, as a load would
 */
export async function readHead(
  file: string,
  options: ReadingOptions & { readonly assumesVersion: boolean },
): Promise<FileHead> {
  await using published = await openPublishedBytes(file, options)
  const findings = new Findings()
  const stream = new JsonStream(takeHead(published.chunks))
  const root = newRoot()
  const linked: LinkedReference[] = []
  let reachesRates = false
  const lists = {
    readItems: (): Promise<boolean> => {
      reachesRates = true
      throw new HeadEnds()
    },
    readReferences: async (list: Position) => {
      await readArray(stream, list, {
        async read(position) {
          const value = await stream.read({ path: () => pathOf(position), limit: wholeObject, keepsFields: true })
          if (value === tooLong) throw new HeadEnds()
          const object = PublishedObject.read(value, position, findings)
          const location = object && readProviderReference(object).location
          if (object !== undefined && location !== undefined)
            linked.push({ location: resolveLocation(location, published.address), path: object.path })
        },
      })
    },
  }
  try {
    await readFields({ stream, findings, assumesVersion: options.assumesVersion }, root, lists)
  } catch (error) {
    if (!(error instanceof HeadEnds)) throw error
  }
  if (!reachesRates && (root.names.has('reporting_structure') || root.names.has('out_of_network')))
    refuseOtherKind(root.names)
  return { header: readRootHeader(root, findings), fields: root.names, linked, reachesRates }
}

async function* takeHead(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of chunks) {
    yield chunk
    bytes += chunk.length
    if (bytes >= maxHeadBytes) throw new HeadEnds()
  }
}
