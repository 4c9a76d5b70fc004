import * as v from 'valibot'
import type { SearchRequestBody } from '../../contract/search-api.ts'

/** Searches the first fee schedule of a service, of this version or an earlier one. */
export interface SearchClient {
  /** Runs a search to its end. @returns its id */
  search(filters: Omit<SearchRequestBody, 'fee_schedules'>): Promise<string>
  /** Reads the state of a search. */
  poll(jobId: string): Promise<string>
  /** Sends a GET request, or a POST request with a body, to a path below `/v1/`. @throws Error unless it succeeds */
  call(path: string, body?: object): Promise<unknown>
}

const created = v.object({ job_id: v.string() })
const job = v.object({ status: v.string() })
const schedules = v.object({ fee_schedules: v.array(v.object({ payer: v.string(), plan: v.string() })) })

export async function openSearchClient(baseUrl: string, key: string): Promise<SearchClient> {
  const call = async (path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${baseUrl}/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (answer.ok) return answer.json()
    throw new Error(`/v1/${path} answers ${answer.status}: ${await answer.text()}`)
  }
  const { fee_schedules: plans } = v.parse(schedules, await call('fee-schedules'))
  const searched = plans.slice(0, 1).map(({ payer, plan }) => ({ payer, plan }))
  const read = async (path: string) => v.parse(job, await call(path)).status
  return {
    call,
    poll: (jobId) => read(`searches/${jobId}`),
    async search(filters) {
      const { job_id: jobId } = v.parse(created, await call('searches', { ...filters, fee_schedules: searched }))
      let status = 'queued'
      while (status === 'queued' || status === 'processing') status = await read(`searches/${jobId}?wait=20`)
      if (status !== 'completed') throw new Error(`the search ${jobId} is ${status}`)
      return jobId
    },
  }
}
