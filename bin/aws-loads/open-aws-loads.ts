import { createLoadJobs } from '../../adapters/batch-load-jobs.ts'
import { connectDynamo, patientRetries } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoLoadWork } from '../../adapters/dynamodb/loads/dynamo-load-work.ts'
import { createLoadExecutions } from '../../adapters/sfn-load-executions.ts'
import { readLoadWorker } from '../../schema/load-worker.ts'
import { readOutputs, readStageName } from '../command/deployment.ts'
import { CommandFailed } from '../command/errors.ts'

/** Loads of a stage that run on AWS Batch. */
export type AwsLoads = NonNullable<Awaited<ReturnType<typeof findAwsLoads>>>

/** The loads of a deployed stage; undefined if it has none on AWS. */
export async function findAwsLoads(name: string) {
  const stage = readStageName(name)
  const { LoadsStateMachine, LoadsQueue, LoadsWorker = '', ContentsTable = '' } = await readOutputs(stage)
  if (LoadsStateMachine === undefined || LoadsQueue === undefined) return undefined
  const { maxWorkers, ...worker } = readLoadWorker(LoadsWorker)
  return {
    stage,
    work: createDynamoLoadWork(connectDynamo(patientRetries), ContentsTable),
    executions: createLoadExecutions(LoadsStateMachine),
    jobs: createLoadJobs(LoadsQueue),
    worker,
    maxWorkers,
  }
}

/** @throws CommandFailed if the stage has no loads on AWS */
export async function requireAwsLoads(name: string): Promise<AwsLoads> {
  const loads = await findAwsLoads(name)
  if (loads !== undefined) return loads
  throw new CommandFailed(`the stage ${name} has no loads on AWS: add "loads": {} to its stage file, and deploy it`)
}
