import { randomUUID } from 'node:crypto'
import { createS3FileLists } from '../../../adapters/s3/s3-file-lists.ts'
import { feeScheduleKey } from '../../../core/catalogue/fee-schedule.ts'
import { listFiles } from '../../../core/search/file-lists.ts'
import type { SearchRequest } from '../../../core/search/search-request.ts'
import type { ContentScope } from '../../../core/search/select-loaded-rates.ts'
import type { TrinoUnderTest } from '../setup.ts'
import { openS3 } from './aws-server.ts'

/**
 * Resolves a request's fee schedules as a stage without lists of files would; those that are not loaded get a content
 * that does not exist.
 *
 * @param location of the tables in the statement's addresses
 */
export function foldersOnTrino(
  trino: TrinoUnderTest,
  { feeSchedules, providers }: SearchRequest,
  location = trino.location,
) {
  const contents = feeSchedules.map((pair) => trino.contents[feeScheduleKey(pair)])
  const allSources = contents.flatMap((content) => content?.sources ?? [])
  const sources = new Map(allSources.map((source) => [source.sourceId, source]))
  return {
    contents: contents.map((content, index) => content?.contentId ?? `absent${index}`),
    files: { location, sources: [...sources.values()] },
    ...(providers && { nppesMonthId: trino.nppesMonthId }),
  } satisfies ContentScope
}

/** Resolves a request's loaded fee schedules as the service would, and lists their files in the stand-in's S3. */
export async function scopeOnTrino(trino: TrinoUnderTest, request: SearchRequest): Promise<ContentScope> {
  return listOnTrino(trino, foldersOnTrino(trino, request))
}

/** Lists the files of a scope in the stand-in's S3. */
export async function listOnTrino(trino: TrinoUnderTest, scope: ContentScope): Promise<ContentScope> {
  const client = openS3(trino.awsUrl)
  try {
    return await listFiles(createS3FileLists(trino.fileLists, client), randomUUID(), scope)
  } finally {
    client.destroy()
  }
}
