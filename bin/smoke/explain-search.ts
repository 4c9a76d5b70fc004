import { createStartedQueries } from '../../adapters/athena/athena-queries.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobs } from '../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { commandRequests } from '../../adapters/request-limits.ts'
import { createExecutions } from '../../adapters/sfn-executions.ts'
import { executionName, type Job, type JobKey } from '../../core/job/job.ts'
import { isListFault } from '../../core/search/file-lists.ts'
import { repeatInstallation } from '../command/cli-arguments.ts'
import { describeFault } from '../command/errors.ts'
import type { Target } from './open-target.ts'

/** Longest text of an event or error that is printed, in characters. */
const maxText = 500

/** Says what to do where Athena cannot read lists of files. */
export const setFolders =
  'lists of files do not work here: set "searchFiles": "folders" in the stage file and deploy (docs/deploying.md, "How searches find files")'

/**
 * Describes where a search is or why it has failed, from what an operator may read: its job, the last event of its
 * execution, and Athena's reason. What cannot be read is left out with its reason.
 *
 * @returns parts of a sentence
 */
export async function explainSearch(
  { tables, stateMachine }: Pick<Target, 'tables' | 'stateMachine'>,
  key: JobKey,
): Promise<string> {
  const describePart = async (what: string, work: () => Promise<string | undefined>) => {
    const text = await work().catch((error: unknown) => `${what}: unknown (${describeFault(error)})`)
    return text === undefined ? [] : [text.slice(0, maxText)]
  }
  const jobs = createDynamoJobs(connectDynamo(commandRequests), tables.Jobs)
  const job = await jobs.read(key).catch(() => undefined)
  const status = job === undefined ? [] : [`its job is ${job.status}`]
  // One machine has neither executions nor Athena: its logs are in a folder, which `status` names.
  if (job === undefined || stateMachine === undefined)
    return [...status, repeatInstallation('more: npm run status -- ')].join('; ').trim()
  const event = await describePart('last event of its execution', () => describeLastEvent(stateMachine, job))
  const reason = await describePart("Athena's reason", () => describeQuery(job))
  const more = repeatInstallation(`more: npm run status -- --execution ${executionName(job)}`)
  return [...status, ...event, ...reason, more].join('; ')
}

async function describeLastEvent(stateMachine: string, job: Job): Promise<string> {
  const [event] = await createExecutions(stateMachine).readLastEvents(executionName(job), 1)
  return `last event of its execution: ${event === undefined ? 'none' : `${event.type} ${event.detail}`.trim()}`
}

async function describeQuery(job: Job): Promise<string | undefined> {
  if (!('query' in job) || job.query === undefined) return undefined
  const query = await createStartedQueries().look(job.query.queryId)
  if (query.state !== 'failed') return `its query has ${query.state === 'running' ? 'not ended' : 'succeeded'}`
  const advice = isListFault(query.fault, query.reason) ? `; ${setFolders}` : ''
  return `Athena's reason: ${query.reason.slice(0, maxText - advice.length)}${advice}`
}
