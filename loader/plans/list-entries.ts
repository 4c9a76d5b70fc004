import { LoadRefused } from '../../fetch/load-refused.ts'
import { openPublishedBytes, type ReadingOptions } from '../../fetch/published-bytes.ts'
import { Findings } from '../decode/findings.ts'
import { JsonObject, type Place, pathOf } from '../decode/json/json-object.ts'
import { JsonStream, tooLong } from '../decode/json/json-stream.ts'

/** Maximum length in bytes of an entry, which lists plans and their files. */
const maxEntryBytes = 1 << 26

/** Receives the entries of a table of contents one by one: there is one for each employer, and 10 GB of them. */
export interface EntryVisitor {
  entry(value: unknown, place: Place): void
  /** Receives the reason why an entry cannot be read: it is too long. */
  unread?(reason: string): void
}

/** Header of a table of contents. Source: CMS schema, table-of-contents.json. */
export interface ContentsHeader {
  readonly entity: string | undefined
  /** As published. */
  readonly lastUpdatedOn: string | undefined
  readonly version: unknown
  readonly findings: Findings
}

/**
 * Reads the entries of a table of contents.
 *
 * @throws LoadRefused if the file is not a table of contents
 */
export async function readEntries(
  path: string,
  visitor: EntryVisitor,
  options: ReadingOptions,
): Promise<ContentsHeader> {
  await using published = await openPublishedBytes(path, options)
  const findings = new Findings()
  const stream = new JsonStream(published.chunks, path, (value) => findings.count('not-utf8', value))
  const texts = new Map<string, string>()
  let isTableOfContents = false
  let version: unknown
  for await (const field of stream.fields(() => '')) {
    if (field === 'reporting_structure') {
      isTableOfContents = true
      for await (const index of stream.elements(() => field)) {
        const place = { file: path, field, index }
        const entry = await stream.read({ path: () => pathOf(place), limit: maxEntryBytes, keepsFields: true })
        if (entry !== tooLong) visitor.entry(entry, place)
        else {
          visitor.unread?.(`${pathOf(place)} is longer than ${maxEntryBytes} bytes, or has too many parts`)
          await stream.skip(() => pathOf(place))
        }
      }
    } else if (field === 'version') version = await stream.read({ path: () => field, limit: maxEntryBytes })
    else if (field === 'reporting_entity_name' || field === 'last_updated_on') {
      const value = await stream.read({ path: () => field, limit: maxEntryBytes })
      if (typeof value === 'string') texts.set(field, value)
    } else {
      if (field !== 'reporting_entity_type') findings.countUnknown('', field)
      await stream.skip(() => field)
    }
  }
  await stream.finish()
  if (!isTableOfContents) throw new LoadRefused(path, 'reporting_structure is missing: this is not a table of contents')
  for (const oddity of published.oddities()) findings.add(oddity)
  const [entity, lastUpdatedOn] = [texts.get('reporting_entity_name'), texts.get('last_updated_on')]
  return { entity, lastUpdatedOn, version, findings }
}

/** Reads the objects of an entry's array one by one, so that a faulty one does not affect the others. */
export function attemptEach<Read>(value: unknown, place: Place, field: string, read: (element: JsonObject) => Read) {
  const elements: Read[] = []
  const faults: string[] = []
  const attempt = (step: () => void) => {
    try {
      step()
    } catch (error) {
      if (!(error instanceof LoadRefused)) throw error
      faults.push(error.fault)
    }
  }
  attempt(() => {
    const parent = new JsonObject(value, place)
    for (const [index, element] of parent.optionalArray(field).entries()) {
      attempt(() => elements.push(read(new JsonObject(element, { file: place.file, parent, field, index }))))
    }
  })
  return { elements, faults }
}
