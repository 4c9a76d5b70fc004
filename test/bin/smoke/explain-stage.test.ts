import { afterEach, describe, expect, it, vi } from 'vitest'
import { connectDynamo } from '../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobs } from '../../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { explainSearch, setFolders } from '../../../bin/smoke/explain-search.ts'
import { executionName } from '../../../core/job/job.ts'
import { newJob, storeJob, touchedAt } from '../../builders/new-job.ts'
import { type Answer, type Call, refuse, startHttpStub } from '../../doubles/http-stub.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'

const { tables } = connectEndpoints()
const jobs = createDynamoJobs(connectDynamo(), tables.jobs)
const stateMachine = 'arn:aws:states:eu-west-1:111111111111:stateMachine:searches'

afterEach(() => {
  vi.unstubAllEnvs()
})

/** Explains a processing job with a query, against an Athena and a Step Functions. */
async function explain(answer: (call: Call) => Answer, query = true) {
  const job = await storeJob(jobs, 'processing')
  if (query) await jobs.noteQuery(job, { queryId: 'query-1', attempt: 1 }, touchedAt)
  await using aws = await startHttpStub(answer)
  for (const service of ['SFN', 'ATHENA']) vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, aws.url)
  const text = await explainSearch({ tables: { ...allTables, Jobs: tables.jobs }, stateMachine }, job)
  return { text, name: executionName(job) }
}

const allTables = { Access: '', Contents: '', FeeSchedules: '', Webhooks: '' }

const succeeding =
  (reason: string) =>
  ({ operation }: Call): Answer => ({
    status: 200,
    body: JSON.stringify(
      operation === 'GetQueryExecution'
        ? { QueryExecution: { Status: { State: 'FAILED', StateChangeReason: reason } } }
        : {
            events: [
              { id: 1, timestamp: 1, type: 'TaskFailed', taskFailedEventDetails: { error: 'X', cause: 'broke' } },
            ],
          },
    ),
  })

describe('the explanation of a search that failed or does not end', () => {
  it('names its status, the last event of its execution, the reason of Athena and the command that knows more', async () => {
    const { text, name } = await explain(succeeding('SYNTAX_ERROR: no'))
    expect(text).toBe(
      `its job is processing; last event of its execution: TaskFailed X: broke; Athena's reason: SYNTAX_ERROR: no; more: npm run status -- --execution ${name}`,
    )
  })

  it('says to set folders if Athena cannot read lists of files', async () => {
    const { text } = await explain(succeeding('HIVE_BAD_DATA: search_negotiated_rates'))
    expect(text).toContain(`Athena's reason: HIVE_BAD_DATA: search_negotiated_rates; ${setFolders}; more: `)
  })

  it('says what it cannot read, such as the execution of a deleted state machine, and shows the rest', async () => {
    const { text } = await explain(() => refuse(400, 'StateMachineDoesNotExist'), false)
    expect(text).toMatch(
      /^its job is processing; last event of its execution: unknown \(.*StateMachineDoesNotExist.*\); more: npm run status/,
    )
  })

  it('leaves the status out if the job does not exist', async () => {
    const text = await explainSearch({ tables: { ...allTables, Jobs: tables.jobs }, stateMachine }, newJob())
    expect(text).toBe('more: npm run status --')
  })
})
