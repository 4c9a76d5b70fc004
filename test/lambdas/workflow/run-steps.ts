import { createAthenaQueries } from '../../../adapters/athena/athena-queries.ts'
import { makeEmptyShard } from '../../../adapters/s3/empty-shard.ts'
import { createS3FileLists } from '../../../adapters/s3/s3-file-lists.ts'
import { createS3ResultFiles } from '../../../adapters/s3/s3-result-files.ts'
import type { JobRun } from '../../../core/job/job.ts'
import { hashRequest, type SearchRequest } from '../../../core/search/search-request.ts'
import { type PublishResults, resultLimits } from '../../../core/workflow/publish-results.ts'
import type { StartQuery } from '../../../core/workflow/start-query.ts'
import { awaitQueryHandler } from '../../../lambdas/await-query/handler.ts'
import { publishResultsHandler } from '../../../lambdas/publish-results/handler.ts'
import { startQueryHandler } from '../../../lambdas/start-query/handler.ts'
import { localRatesLocation } from '../../../schema/columns/rates-views.ts'
import { fileListsBelow } from '../../../schema/columns/search-tables.ts'
import type { NextStep } from '../../../schema/workflow-step.ts'
import { expiresAt, newJob } from '../../builders/new-job.ts'
import { catalogue, contents, endpoints, jobs, retentionDays, settling } from '../search-api.ts'

export const queries = createAthenaQueries({ workGroup: 'rate-search', database: 'rate_search' })
export const resultFiles = createS3ResultFiles(endpoints.resultsBucket)

/** Dependencies of the steps of a search, over the run's endpoints. */
const defaultDeps = {
  ...settling,
  jobs,
  catalogue,
  contents,
  queries,
  resultFiles,
  makeEmptyShard,
  limits: resultLimits,
  retentionDays,
  now: () => new Date(),
  sleep: () => Promise.resolve(),
  log: () => {},
  countEnd: () => {},
  countListFault: () => {},
  queryWaitMs: 0,
  queryTurnMs: 50_000,
  ratesLocation: localRatesLocation,
  fileLists: createS3FileLists(fileListsBelow(endpoints.queryResults)),
  random: () => 0.5,
}

/** Stores a newly accepted search. */
export async function storeSearch(request: SearchRequest): Promise<JobRun> {
  const { summary } = request
  const job = newJob({ requestHash: hashRequest(request), createdAt: new Date(), ...(summary && { summary }) })
  await jobs.create(job, request, expiresAt)
  const { orgId, jobId, run } = job
  return { orgId, jobId, run }
}

/** Takes each next step until the search has completed. Returns the job and the steps that began another attempt. */
export async function completeSearch(input: JobRun, testDeps: Partial<StartQuery & PublishResults> = {}) {
  const deps = { ...defaultDeps, ...testDeps }
  const handlers = {
    retry: startQueryHandler(deps),
    refresh: startQueryHandler(deps),
    await: awaitQueryHandler(deps),
    publish: publishResultsHandler(deps),
  }
  const retries: NextStep[] = []
  let step = await handlers.retry(input)
  while (step.next !== 'end') {
    step = await handlers[step.next]({ ...input, step })
    if (step.next === 'retry') retries.push(step)
  }
  const job = await jobs.read(input)
  if (job?.status !== 'completed') throw new Error(`the job is ${JSON.stringify(job)}`)
  return { retries, job }
}
