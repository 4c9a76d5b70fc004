import { createLoadJobs } from '../../adapters/batch-load-jobs.ts'
import { createLoadExecutions } from '../../adapters/sfn-load-executions.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { readLoadWorker } from '../../schema/load-worker.ts'
import { readOutputs, readStageName, requireOutput } from '../stacks/deployment.ts'
import type { OpenedWarehouse } from '../warehouse/connect-catalogue.ts'

/** Loads of a stage that run on AWS Batch. */
export type AwsLoads = NonNullable<Awaited<ReturnType<typeof findAwsLoads>>>

/** A stage with loads on AWS, and what it has loaded. */
export type OpenedLoads = OpenedWarehouse & { readonly loads: AwsLoads }

/** The loads of a deployed stage; undefined if it has none on AWS, or without a stage. */
export async function findAwsLoads(name: string | undefined) {
  if (name === undefined) return undefined
  const stage = readStageName(name)
  const outputs = await readOutputs(stage)
  const { LoadsStateMachine, LoadsQueue } = outputs
  if (LoadsStateMachine === undefined || LoadsQueue === undefined) return undefined
  const { maxWorkers, ...worker } = readLoadWorker(requireOutput(outputs, 'LoadsWorker'))
  return {
    stage,
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
