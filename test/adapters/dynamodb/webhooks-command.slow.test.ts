import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createDynamoAccess } from '../../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoWebhooks } from '../../../adapters/dynamodb/dynamo-webhooks.ts'
import { runCommandLine } from '../../bin/run-command-line.ts'
import { storeKey } from '../../builders/new-key.ts'
import { startDeployedStacks } from '../../doubles/deployed-stacks.ts'
import type { HttpStub } from '../../doubles/http-stub.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../doubles/webhook-receiver.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'
import { makeTables } from '../../endpoints/make-tables.ts'

const { environment } = connectEndpoints()

let cloudFormation: HttpStub
let receiver: WebhookReceiver
let tables: Readonly<Record<string, string>>
let orgId: string

const deploy = (PublicBaseUrl: string) =>
  startDeployedStacks({
    'SearchService-blue': {
      AccessTable: tables['Access'] ?? '',
      WebhooksTable: tables['Webhooks'] ?? '',
      PublicBaseUrl,
    },
  })

beforeAll(async () => {
  tables = await makeTables(randomUUID())
  // Webhooks of this stage may call this machine.
  cloudFormation = await deploy('http://127.0.0.1:4566/x/blue')
  receiver = await startWebhookReceiver()
})

afterAll(async () => {
  await cloudFormation[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

beforeEach(async () => {
  orgId = (await storeKey(createDynamoAccess(connectDynamo(), tables['Access'] ?? ''))).orgId
})

const run = (args: readonly string[], stacks = cloudFormation) =>
  runCommandLine('webhooks', [...args, '--stage', 'blue'], {
    ...environment,
    AWS_ENDPOINT_URL_CLOUDFORMATION: stacks.url,
  })

const json = async (...args: readonly string[]) => JSON.parse((await run([...args, '--json'])).output)

describe('npm run webhooks', () => {
  it('adds a webhook, shows its secret once, and calls it with a signature that a verifier accepts', async () => {
    const { output } = await run(['create', orgId, `${receiver.url}/a`])
    const [id = '', secret = ''] = output.trim().split('\n')
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const tested = await run(['test', orgId, id])
    expect(tested).toMatchObject({ output: 'status 204\n', exitCode: 0 })
    const call = receiver.calls.at(-1)
    expect(call && new Webhook(secret).verify(call.body, { ...call.headers })).toMatchObject({ type: 'webhook.test' })
    const listed = await run(['list', orgId, '--json'])
    expect(listed.output).not.toContain('whsec_')
    expect(JSON.parse(listed.output)).toMatchObject({
      org_id: orgId,
      endpoints: [{ endpoint_id: id, state: 'active', events: ['search.ended', 'fee_schedules.updated'], failed: 0 }],
    })
  })

  it('rotates a secret, and signs with both until the end of the former one', async () => {
    const { endpoint_id: id, secret } = await json('create', orgId, receiver.url, '--events', 'search.ended')
    const rotated = await json('rotate', orgId, id, '--ends', '1h')
    await run(['test', orgId, id])
    const { body = '', headers = {} } = receiver.calls.at(-1) ?? {}
    for (const each of [secret, rotated.secret]) expect(new Webhook(each).verify(body, { ...headers })).toBeDefined()
    const again = await json('rotate', orgId, id)
    await run(['test', orgId, id])
    const last = receiver.calls.at(-1)
    expect(() => last && new Webhook(secret).verify(last.body, { ...last.headers })).toThrow()
    for (const each of [rotated.secret, again.secret])
      expect(last && new Webhook(each).verify(last.body, { ...last.headers })).toBeDefined()
  })

  it('reports that a test failed, with exit code 1', async () => {
    const { endpoint_id: id } = await json('create', orgId, receiver.url)
    const { answer } = receiver
    receiver.answer = (response) => void response.writeHead(500).end()
    expect(await run(['test', orgId, id])).toMatchObject({
      output: '',
      errors: `error: the webhook ${id} failed: status 500; it must answer 200 to 299\n`,
      exitCode: 1,
    })
    receiver.answer = answer
  })

  it('lists an address without its query, and with what a terminal would obey escaped', async () => {
    const webhooks = createDynamoWebhooks(connectDynamo(), tables['Webhooks'] ?? '')
    const url = 'https://receiver.example/\u001b[2Jhook?token=hidden'
    const endpoint = { orgId, endpointId: 'a1b2c3d4e5f6', events: ['search.ended'] as const, createdAt: new Date() }
    await webhooks.create({ ...endpoint, url, secrets: [{ secret: 'whsec_MDAw' }] })
    const { output } = await run(['list', orgId])
    expect(output).toContain('https://receiver.example/\\u001b[2Jhook?…')
    for (const hidden of ['\u001b', 'hidden']) expect(output).not.toContain(hidden)
    expect((await json('list', orgId)).endpoints).toMatchObject([{ url }])
  })

  it('disables, enables and removes a webhook', async () => {
    const { endpoint_id: id } = await json('create', orgId, receiver.url)
    await run(['disable', orgId, id])
    const why = await run(['list', orgId])
    expect(why.output).toMatch(/disabled .* an operator disabled it/)
    await run(['enable', orgId, id])
    expect((await json('list', orgId)).endpoints).toMatchObject([{ state: 'active' }])
    await run(['remove', orgId, id])
    expect((await run(['list', orgId])).output).toBe('no webhooks\n')
  })

  it('lists failed calls without their bodies, and makes them again', async () => {
    const webhooks = createDynamoWebhooks(connectDynamo(), tables['Webhooks'] ?? '')
    const { endpoint_id: endpointId } = await json('create', orgId, receiver.url)
    for (const [minute, eventId] of ['one', 'two'].entries()) {
      const at = new Date(Date.now() + minute * 60_000)
      const key = { orgId, endpointId, eventId }
      await webhooks.record({ ...key, type: 'search.ended', body: 'secret', createdAt: at, attempts: 8 }, at)
      await webhooks.giveUp(key, 'status 500', at, new Date(at.getTime() + 60_000))
    }
    const { failed } = await json('failed', orgId)
    expect(failed).toMatchObject([{ event_id: 'one', last_failure: 'status 500' }, { event_id: 'two' }])
    expect(JSON.stringify(failed)).not.toContain('secret')
    expect((await json('list', orgId)).endpoints).toMatchObject([{ failed: 2 }])
    expect((await run(['resend', orgId, endpointId, 'three'])).errors).toContain(
      'has no failed call of the event three',
    )
    expect(await json('resend', orgId, endpointId, 'one')).toMatchObject({ resent: 1 })
    expect(await json('resend', orgId, endpointId)).toMatchObject({ resent: 1 })
    expect((await run(['failed', orgId])).output).toBe('no failed calls\n')
    expect((await run(['failed', 'nobody'])).errors).toContain('there is no organization nobody')
    await run(['disable', orgId, endpointId])
    expect((await run(['resend', orgId, endpointId])).errors).toContain('is disabled: enable it first')
  })

  it('refuses more than ten webhooks of an organization', async () => {
    const webhooks = createDynamoWebhooks(connectDynamo(), tables['Webhooks'] ?? '')
    for (let index = 0; index < 10; index++) {
      const facts = { url: receiver.url, events: [], createdAt: new Date(), secrets: [] }
      await webhooks.create({ orgId, endpointId: String(index), ...facts })
    }
    expect((await run(['create', orgId, receiver.url])).errors).toContain('has 10 webhooks, which is the maximum')
  })

  it.each([
    [['create', 'a'], 'create takes an organization id and a URL'],
    [['create', 'a', 'http://hooks.example'], 'the URL is not an https address'],
    [['create', 'a', 'https://10.1.2.3/'], 'the URL 10.1.2.3 is in a private network'],
    [['create', 'a', 'https://hooks.example', '--events', 'x'], '--events must be search.ended, fee_schedules.updated'],
    [['list'], 'list takes one organization id'],
    [['rotate', 'a', 'b', '--ends', 'soon'], 'organization a has no webhook b'],
    [['test', 'a', 'b'], 'organization a has no webhook b'],
    [['remove', 'a'], 'remove takes an organization id and a webhook id'],
    [['list', 'a', '--ends', '1h'], '--ends belongs to rotate, not to list'],
    [['list', 'a', '--events', 'x'], '--events belongs to create, not to list'],
    [['create', 'nobody', 'https://hooks.example'], 'there is no organization nobody'],
  ])('refuses %j', async (args, message) => {
    const { output, errors, exitCode } = await run(args)
    expect({ output, exitCode }).toEqual({ output: '', exitCode: expect.toBeOneOf([1, 2]) })
    expect(errors).toContain(message)
  })

  it('never lets a deployed stage call this machine', async () => {
    await using deployed = await deploy('https://rates.example')
    const { errors, exitCode } = await run(['create', orgId, receiver.url], deployed)
    expect({ errors, exitCode }).toEqual({ errors: expect.stringContaining('is not an https address'), exitCode: 2 })
  })
})
