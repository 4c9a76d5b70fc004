import { FileFault, nameFile } from '../../fetch/load-refused.ts'
import { openPublishedBytes, type ReadingOptions } from '../../fetch/published-bytes.ts'
import type { Findings } from './findings.ts'
import { JsonStream } from './json/json-stream.ts'
import { addProviderGroups, type OpenGroup } from './provider-groups.ts'
import { PublishedObject } from './published-object.ts'
import { maxElementBytes, readValue } from './read-values.ts'

/**
 * Reads the groups of a file that a provider reference points to. Source: CMS schema 1.x, provider-reference.json.
 *
 * @param open takes the groups
 * @returns SHA-256 of the file's JSON text, in hex
 * @throws LoadRefused if it is not such a file
 */
export function readReferenceFile(
  path: string,
  open: OpenGroup,
  findings: Findings,
  options: ReadingOptions,
): Promise<string> {
  return nameFile(path, () => readGroups(path, open, findings, options))
}

async function readGroups(path: string, open: OpenGroup, findings: Findings, options: ReadingOptions): Promise<string> {
  await using published = await openPublishedBytes(path, options)
  const stream = new JsonStream(published.chunks, (value) => findings.count('not-utf8', value))
  let hasGroups = false
  for await (const field of stream.fields(() => '')) {
    if (field !== 'provider_groups') {
      await stream.skip(() => field)
      continue
    }
    if (hasGroups) throw new FileFault('provider_groups is in the file twice')
    hasGroups = true
    for await (const index of stream.elements(() => field)) {
      const position = { field, index }
      const group = await readValue(stream, position, maxElementBytes)
      addProviderGroups([PublishedObject.readCounting(group, position, findings, 'unfit-group')], open, findings)
    }
  }
  await stream.finish()
  for (const oddity of published.oddities()) findings.add(oddity)
  if (!hasGroups) throw new FileFault('provider_groups is missing: this is not a provider reference file')
  return published.contentHash()
}
