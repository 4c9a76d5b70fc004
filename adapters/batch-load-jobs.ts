import { BatchClient, DescribeJobsCommand, type JobDetail, paginateListJobs } from '@aws-sdk/client-batch'
import { chunk } from '../core/chunk.ts'
import { type LoadStep, loadSteps } from '../schema/load-step.ts'
import { commandRequests } from './request-limits.ts'
import { requireFields } from './require-fields.ts'

/** A container in which a step of a load has run or is running. */
export interface LoadContainer {
  readonly step: LoadStep
  readonly startedAt: Date
  /** Absent while it runs. */
  readonly stoppedAt?: Date
}

/** Maximum number of jobs per call. Source: AWS Batch API, DescribeJobs. */
const perCall = 100

/**
 * Reads the jobs of loads from AWS Batch; their names are `load-<load>-<step>`.
 *
 * @param jobQueues ARNs, with a comma between them
 */
export function createLoadJobs(jobQueues: string, client = new BatchClient(commandRequests)) {
  return {
    /** Lists the containers of a load. Batch forgets a job a week after its end. */
    listContainers: async (loadId: string) => {
      const ids: string[] = []
      const filters = [{ name: 'JOB_NAME', values: [`load-${loadId}-*`] }]
      for (const jobQueue of jobQueues.split(',')) {
        for await (const { jobSummaryList = [] } of paginateListJobs({ client }, { jobQueue, filters })) {
          for (const job of jobSummaryList) {
            requireFields(job, ['jobId'], 'AWS Batch')
            const { jobId, arrayProperties } = job
            const size = arrayProperties?.size
            if (size === undefined) ids.push(jobId)
            else ids.push(...Array.from({ length: size }, (_, index) => `${jobId}:${index}`))
          }
        }
      }
      const containers: LoadContainer[] = []
      for (const page of chunk(ids, perCall)) {
        const { jobs = [] } = await client.send(new DescribeJobsCommand({ jobs: [...page] }))
        containers.push(...jobs.flatMap(containersOf))
      }
      return containers
    },
  }
}

/** Returns the containers of a job: one for each attempt that has ended, and the one that is running. */
function containersOf(job: JobDetail): readonly LoadContainer[] {
  requireFields(job, ['jobName'], 'AWS Batch')
  const { jobName, status, startedAt, attempts = [] } = job
  const step = loadSteps.find((each) => jobName.endsWith(`-${each}`))
  if (step === undefined) return []
  const ended = attempts.flatMap((attempt) =>
    attempt.startedAt === undefined || attempt.stoppedAt === undefined
      ? []
      : [{ step, startedAt: new Date(attempt.startedAt), stoppedAt: new Date(attempt.stoppedAt) }],
  )
  const running = status === 'RUNNING' && startedAt !== undefined ? [{ step, startedAt: new Date(startedAt) }] : []
  return [...ended, ...running]
}
