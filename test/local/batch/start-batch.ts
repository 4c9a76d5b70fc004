import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import type { JobSurroundings, RunningJobs } from '../../../local/service.ts'
import type { StackTemplate } from '../../../local/stack-template.ts'
import { startBatchEndpoint } from './endpoint.ts'
import { readJobDefinitions } from './job-definition.ts'
import { BatchJobs, type JobRequest } from './jobs.ts'

/**
 * AWS Batch for a local service whose stage has loads, which no stage of `npm start` has: the template's job definitions
 * as processes, with the program that a deployment uploads, the variables of definition and request, retries by exit
 * code, and SIGTERM when a job is ended. `RATES_LOCATION` is the folder that the local Athena reads. Queues, waiting,
 * timeouts, limits of memory and disk, and the fetching of code are not simulated.
 */
export async function startBatch(template: StackTemplate, surroundings: JobSurroundings): Promise<RunningJobs> {
  const { dataFolder } = surroundings
  const scratchFolder = join(dataFolder, 'loads')
  mkdirSync(scratchFolder, { recursive: true })
  const jobs = new BatchJobs({
    definitions: readJobDefinitions(template, { ...surroundings, scratchFolder }),
    logFolder: join(dataFolder, 'logs'),
    now: () => new Date(),
    newId: randomUUID,
  })
  const endpoint = await startBatchEndpoint(jobs)
  return {
    environment: { AWS_ENDPOINT_URL_BATCH: endpoint.url },
    run: (parameters, stop) => jobs.run(readJob(parameters), stop),
    close: async () => {
      await endpoint.close()
      await jobs.close()
    },
  }
}

/** The parameters of a task that submits a job. Source: AWS Batch API, SubmitJob. */
const jobSchema = v.object({
  JobName: v.string(),
  JobDefinition: v.string(),
  ArrayProperties: v.optional(v.object({ Size: v.pipe(v.number(), v.integer(), v.minValue(2), v.maxValue(10_000)) })),
  ContainerOverrides: v.object({ Environment: v.array(v.object({ Name: v.string(), Value: v.string() })) }),
})

/** Reads the parameters of a task that submits a job. */
export function readJob(parameters: unknown): JobRequest {
  const { JobName, JobDefinition, ArrayProperties, ContainerOverrides } = v.parse(jobSchema, parameters)
  return {
    name: JobName,
    definition: JobDefinition,
    size: ArrayProperties?.Size,
    environment: Object.fromEntries(ContainerOverrides.Environment.map(({ Name, Value }) => [Name, Value])),
  }
}
