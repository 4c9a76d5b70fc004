import type { IncomingMessage, ServerResponse } from 'node:http'
import * as v from 'valibot'
import { closeToBrowsers, listen, type RunningServer, readBody } from '../../../local/http-server.ts'
import type { BatchJobs, Job } from './jobs.ts'

const listSchema = v.object({
  filters: v.tuple([v.object({ name: v.literal('JOB_NAME'), values: v.tuple([v.pipe(v.string(), v.endsWith('*'))]) })]),
})

const describeSchema = v.object({ jobs: v.pipe(v.array(v.string()), v.maxLength(100)) })

/** Serves the API of AWS Batch that shows jobs: ListJobs by a prefix of names, and DescribeJobs. */
export function startBatchServer(jobs: BatchJobs, port = 0): Promise<RunningServer> {
  const operations: Readonly<Record<string, (body: unknown) => object>> = {
    '/v1/listjobs': (body) => {
      const [{ values }] = v.parse(listSchema, body).filters
      return { jobSummaryList: jobs.list(values[0].slice(0, -1)).map(summarise) }
    },
    '/v1/describejobs': (body) => ({
      jobs: v.parse(describeSchema, body).jobs.flatMap((id) => {
        const job = jobs.find(id)
        return job === undefined ? [] : [describe(job)]
      }),
    }),
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const operation = Object.hasOwn(operations, request.url ?? '') ? operations[request.url ?? ''] : undefined
    if (operation === undefined) return void answer(404, { message: `${request.url} is not supported on this machine` })
    try {
      answer(200, operation(JSON.parse((await readBody(request))?.toString() ?? '{}')))
    } catch (error) {
      answer(400, { message: error instanceof Error ? error.message : 'the request cannot be read' })
    }
  }

  const listener = closeToBrowsers((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  return listen(listener, port)
}

const epoch = (date: Date | undefined) => date?.getTime()

function summarise({ id, name, createdAt, size, status }: Job): object {
  const array = size === undefined ? {} : { arrayProperties: { size } }
  return { jobId: id, jobName: name, createdAt: epoch(createdAt), status, ...array }
}

/** Source: AWS Batch API, JobDetail: `attempts` are those that have ended, `startedAt` is the start of the latest. */
function describe(job: Job): object {
  const latest = job.attempts.at(-1)
  return {
    ...summarise(job),
    startedAt: epoch(latest?.startedAt),
    stoppedAt: job.status === 'RUNNING' ? undefined : epoch(latest?.stoppedAt),
    attempts: job.attempts.flatMap(({ startedAt, stoppedAt, exitCode }) =>
      stoppedAt === undefined
        ? []
        : [{ startedAt: epoch(startedAt), stoppedAt: epoch(stoppedAt), container: { exitCode } }],
    ),
  }
}
