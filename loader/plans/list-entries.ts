import { FileFault, nameFile } from '../../fetch/load-refused.ts'
import { openPublishedBytes, type ReadingOptions } from '../../fetch/published-bytes.ts'
import { Findings } from '../decode/findings.ts'
import { JsonObject, type Position, pathOf } from '../decode/json/json-object.ts'
import { JsonStream, tooLong } from '../decode/json/json-stream.ts'
import { charactersOf, isId } from '../decode/json/published-number.ts'

/** Maximum length in bytes of an entry, which lists plans and their files. */
const maxEntryBytes = 1 << 26

/** Receives the entries of a table of contents one by one: there is one for each employer, and 10 GB of them. */
export interface EntryVisitor {
  /** @param base the address against which relative locations resolve; the path of a local file */
  entry(value: unknown, position: Position, base: string): void
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
export function readEntries(path: string, visitor: EntryVisitor, options: ReadingOptions): Promise<ContentsHeader> {
  return nameFile(path, () => visitEntries(path, visitor, options))
}

async function visitEntries(path: string, visitor: EntryVisitor, options: ReadingOptions): Promise<ContentsHeader> {
  await using published = await openPublishedBytes(path, options)
  const findings = new Findings()
  const stream = new JsonStream(published.chunks, (value) => findings.count('not-utf8', value))
  const texts = new Map<string, string>()
  let isTableOfContents = false
  let version: unknown
  for await (const field of stream.fields(() => '')) {
    if (field === 'reporting_structure') {
      isTableOfContents = true
      for await (const index of stream.elements(() => field)) {
        const position = { field, index }
        const entry = await stream.read({ path: () => pathOf(position), limit: maxEntryBytes, keepsFields: true })
        if (entry !== tooLong) visitor.entry(entry, position, published.address)
        else {
          visitor.unread?.(`${pathOf(position)} is longer than ${maxEntryBytes} bytes, or has too many parts`)
          await stream.skip(() => pathOf(position))
        }
      }
    } else if (field === 'version') version = await stream.read({ path: () => field, limit: maxEntryBytes })
    else if (field === 'reporting_entity_name' || field === 'last_updated_on') {
      const value = await stream.read({ path: () => field, limit: maxEntryBytes })
      if (isId(value)) texts.set(field, charactersOf(value))
    } else {
      if (field !== 'reporting_entity_type') findings.countUnknown('', field)
      await stream.skip(() => field)
    }
  }
  await stream.finish()
  if (!isTableOfContents) throw new FileFault('reporting_structure is missing: this is not a table of contents')
  for (const oddity of published.oddities()) findings.add(oddity)
  const [entity, lastUpdatedOn] = [texts.get('reporting_entity_name'), texts.get('last_updated_on')]
  return { entity, lastUpdatedOn, version, findings }
}

/** Reads the objects of an entry's array one by one, so that a faulty one does not affect the others. */
export function attemptEach<Read>(
  value: unknown,
  position: Position,
  field: string,
  read: (element: JsonObject) => Read,
) {
  const elements: Read[] = []
  const faults: string[] = []
  const attempt = (step: () => void) => {
    try {
      step()
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      faults.push(error.message)
    }
  }
  attempt(() => {
    const parent = new JsonObject(value, position)
    for (const [index, element] of parent.optionalArray(field).entries()) {
      attempt(() => elements.push(read(new JsonObject(element, { parent, field, index }))))
    }
  })
  return { elements, faults }
}
