import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import type { LocalEndpoint } from '../../../local/endpoint.ts'
import { type JobDefinition, readJobDefinitions } from './job-definition.ts'
import { BatchJobs, type JobRequest } from './jobs.ts'
import { startBatchServer } from './server.ts'

/**
 * AWS Batch for a local service whose stage has loads, which no stage of `npm start` has: the template's job
 * definitions as processes, with the program that a deployment uploads, the variables of definition and request,
 * retries by exit code, and SIGTERM when a job is ended. `RATES_LOCATION` is the folder that the local Athena reads.
 * Queues, waiting, timeouts, limits of memory and disk, and the fetching of code are not simulated.
 */
export const batchEndpoint: LocalEndpoint = {
  start: async ({ dataFolder, warehouseFolder, now, newId }) => {
    const scratchFolder = join(dataFolder, 'loads')
    mkdirSync(scratchFolder, { recursive: true })
    const definitions: JobDefinition[] = []
    const jobs = new BatchJobs({ definitions, logFolder: join(dataFolder, 'logs'), now, newId })
    const server = await startBatchServer(jobs)
    return {
      environment: { AWS_ENDPOINT_URL_BATCH: server.url },
      peers: { runJob: (parameters, stop) => jobs.run(readJob(parameters), stop) },
      begin: async ({ template, environment, credentialsOf, work }) => {
        const surroundings = { environment, credentialsOf, warehouseFolder, scratchFolder }
        definitions.push(...readJobDefinitions(template, surroundings))
        work.adopt(jobs, (batchJobs) => batchJobs.close())
      },
      close: server.close,
    }
  },
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
