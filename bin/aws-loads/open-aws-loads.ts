import { createLoadJobs, type LoadJobs } from '../../adapters/batch-load-jobs.ts'
import { connectDynamo, patientRetries } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoLoadWork } from '../../adapters/dynamodb/loads/dynamo-load-work.ts'
import { createLoadExecutions, type LoadExecutions } from '../../adapters/sfn-load-executions.ts'
import type { LoadWork } from '../../core/loads/ports.ts'
import { readLoadWorker, type WorkerSize } from '../../schema/load-worker.ts'
import { readOutputs, readStageName } from '../command/deployment.ts'
import { CommandFailed } from '../command/errors.ts'

/** Loads of a stage that run on AWS Batch. */
export interface AwsLoads {
  readonly stage: string
  readonly work: LoadWork
  readonly executions: LoadExecutions
  readonly jobs: LoadJobs
  readonly worker: WorkerSize
  readonly maxWorkers: number
}

/** The loads of a deployed stage; undefined if it has none on AWS. */
export async function findAwsLoads(name: string): Promise<AwsLoads | undefined> {
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
