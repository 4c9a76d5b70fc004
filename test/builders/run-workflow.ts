import { attemptPrefix } from '../../core/job/attempt.ts'
import { executionName, type JobRun } from '../../core/job/job.ts'
import { type AwaitQuery, awaitQuery } from '../../core/workflow/await-query.ts'
import { publishResults, resultLimits } from '../../core/workflow/publish-results.ts'
import { recordFailure } from '../../core/workflow/record-failure.ts'
import { type StartQuery, startQuery } from '../../core/workflow/start-query.ts'
import type { NextStep } from '../../schema/workflow-step.ts'
import { newFooter, type OpenSearch } from './open-search.ts'

/** Runs a job like the state machine: one step after the other; if one throws, the failure is recorded. */
export async function runWorkflow(search: OpenSearch, deps: StartQuery & AwaitQuery, job: JobRun): Promise<void> {
  const takeStep = async (step: NextStep | undefined): Promise<NextStep> => {
    if (step?.next === 'await') return awaitQuery(deps, { ...job, step })
    if (step?.next !== 'publish') return startQuery(deps, { ...job, ...(step && { step }) })
    const key = `${attemptPrefix(job, step.attempt)}file`
    const isLarge = step.spread === undefined && step.attempt === 1
    search.resultFiles.footers.set(key, newFooter(key, isLarge ? 2_000_000_000 : 1000))
    search.resultFiles.manifests.set('m', [key])
    const makeEmptyShard = () => new Uint8Array(4)
    const { resultFiles } = search
    return publishResults({ ...deps, resultFiles, makeEmptyShard, limits: resultLimits }, { ...job, step })
  }
  try {
    let step: NextStep | undefined
    // An execution still runs after its job's deadline, when the sweeper has ended the job.
    for (let turn = 0; turn < 30 && step?.next !== 'end'; turn++) {
      step = await takeStep(step)
      if (step.next === 'retry') search.clock.advance(step.waitSeconds)
    }
  } catch (error) {
    await recordFailure(deps, job, { name: 'Error', cause: String(error) }).catch(() => undefined)
  }
  search.workflow.executions.set(executionName(job), 'ended')
}
