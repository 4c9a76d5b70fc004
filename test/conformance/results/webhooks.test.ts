import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { completeSearch, failSearch, ownKey, service } from '../client.ts'
import { gold, smallSearch } from '../samples.ts'

const root = join(import.meta.dirname, '../../..')

interface ReceivedCall {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly calls: readonly ReceivedCall[]
}

/** Starts a receiver of calls on this machine, which answers all of them alike. */
async function startReceiver(status: number, headers: Readonly<Record<string, string>> = {}): Promise<Receiver> {
  const calls: ReceivedCall[] = []
  const server = createServer(async (request, response) => {
    const pairs = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    calls.push({ body: await text(request), headers: Object.fromEntries(pairs) })
    response.writeHead(status, headers).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { url: `http://127.0.0.1:${port}/hook`, calls, [Symbol.asyncDispose]: stop }
}

const [, orgId = ''] = /^rates_(\w{12})/.exec(ownKey) ?? []

async function operate(...args: readonly string[]) {
  const words = ['bin/webhooks.ts', ...args, ...service.operator, '--json']
  return JSON.parse((await promisify(execFile)(process.execPath, words, { cwd: root })).stdout)
}

let added: string[] = []
afterEach(async () => {
  for (const id of added) await operate('remove', orgId, id)
  added = []
})

/** Adds a receiver of this machine as a webhook of the organization. */
async function addWebhook({ url }: Receiver): Promise<{ readonly id: string; readonly secret: string }> {
  const { endpoint_id: id, secret } = await operate('create', orgId, url, '--events', 'search.ended')
  added.push(id)
  return { id, secret }
}

/** Other tests end searches of the organization meanwhile. */
const callsAbout = ({ calls }: Receiver, jobId: string) => calls.filter(({ body }) => body.includes(jobId))

async function awaitCall(receiver: Receiver, jobId: string): Promise<ReceivedCall> {
  await expect.poll(() => callsAbout(receiver, jobId).length, { timeout: 90_000 }).toBeGreaterThan(0)
  const [call = { body: '', headers: {} }] = callsAbout(receiver, jobId)
  return call
}

describe.skipIf(service.operator.length === 0)('a webhook', () => {
  it('gets a call when a search of its organization has completed or failed, which the standard’s verifier accepts', async () => {
    await using receiver = await startReceiver(204)
    const { secret } = await addWebhook(receiver)
    const ended = [await completeSearch(smallSearch), await failSearch({ ...smallSearch, as_of: '2020-01-01' })]
    for (const { job_id, status } of ended) {
      const { body, headers } = await awaitCall(receiver, job_id)
      expect(new Webhook(secret).verify(body, { ...headers })).toMatchObject({
        type: 'search.ended',
        data: { job_id, org_id: orgId, status },
      })
      expect(body).not.toMatch(/https?:|billing_codes|npis/)
      expect(body).not.toContain(gold.plan)
    }
  })

  it('fails with its reason and delays no other if it answers 500, or redirects into a private network', async () => {
    await using broken = await startReceiver(500)
    await using redirecting = await startReceiver(307, { location: 'https://10.0.0.1/' })
    await using sound = await startReceiver(204)
    const hostile = [await addWebhook(broken), await addWebhook(redirecting)]
    await addWebhook(sound)
    const { job_id } = await completeSearch(smallSearch)
    for (const receiver of [sound, broken, redirecting]) await awaitCall(receiver, job_id)
    const statesOf = async () => {
      const { endpoints } = await operate('list', orgId)
      return hostile.map(({ id }) => {
        const endpoint = endpoints.find((each: { endpoint_id: string }) => each.endpoint_id === id)
        return [endpoint.state, endpoint.last_failure]
      })
    }
    await expect.poll(statesOf, { timeout: 30_000, interval: 1000 }).toEqual([
      ['failing', 'status 500'],
      ['failing', 'status 307'],
    ])
  })
})
