import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEvents } from '../../../local/event-bridge/rules.ts'
import { startEventBridge } from '../../../local/event-bridge/server.ts'
import type { RunningServer } from '../../../local/http-server.ts'
import type { ServiceEvent } from '../../../local/peers.ts'
import { sdkSettings } from '../../endpoints/sdk-settings.ts'
import { readResources } from '../../templates/test-template.ts'

const folder = mkdtempSync(join(tmpdir(), 'event-bridge-'))
const file = join(folder, 'events.jsonl')
const called: unknown[] = []
let server: RunningServer
let client: EventBridgeClient

const rules = readEvents(
  readResources({
    Notify: { Type: 'AWS::Lambda::Function' },
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        EventPattern: {
          source: ['rate-search.local'],
          'detail-type': ['Search Ended'],
          detail: { status: ['failed'] },
        },
        Targets: [{ Arn: { 'Fn::GetAtt': ['Notify', 'Arn'] } }],
      },
    },
  }),
  async (_, input) => called.push(input),
)

beforeAll(async () => {
  let ids = 0
  const onEvent = (event: ServiceEvent) => rules.publish(event)
  const now = () => new Date('2026-11-20T10:00:00Z')
  server = await startEventBridge({ file, now, newId: () => `event-${++ids}`, onEvent })
  client = new EventBridgeClient(sdkSettings(server.url))
})

afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const entry = { Source: 'rate-search.local', DetailType: 'Search Ended', Detail: '{"status":"failed"}' }

const put = (...Entries: readonly object[]) => client.send(new PutEventsCommand({ Entries: [...Entries] }))

describe('PutEvents', () => {
  it('passes an event to the rules that match it, and stores it in the form that they get', async () => {
    const Time = new Date('2026-11-20T09:30:00Z')
    const { FailedEntryCount, Entries } = await put({ ...entry, Time }, { ...entry, Detail: '{"status":"completed"}' })
    expect([FailedEntryCount, Entries]).toEqual([0, [{ EventId: 'event-1' }, { EventId: 'event-2' }]])
    const event = {
      version: '0',
      id: 'event-1',
      'detail-type': 'Search Ended',
      source: 'rate-search.local',
      account: '000000000000',
      time: '2026-11-20T09:30:00Z',
      region: 'us-east-1',
      resources: [],
      detail: { status: 'failed' },
    }
    expect(called).toEqual([event])
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      event,
      { ...event, id: 'event-2', time: '2026-11-20T10:00:00Z', detail: { status: 'completed' } },
    ])
  })

  it.each([
    ['its detail is not JSON', { ...entry, Detail: 'failed' }, 'MalformedDetail'],
    ['its detail is not an object', { ...entry, Detail: '1' }, 'MalformedDetail'],
    ['it has no source', { ...entry, Source: '' }, 'InvalidArgument'],
    ['its source is that of AWS', { ...entry, Source: 'aws.states' }, 'NotAuthorizedForSourceException'],
    ['its bus does not exist', { ...entry, EventBusName: 'other' }, 'ResourceNotFoundException'],
  ])('succeeds and counts an entry as failed if %s', async (_, wrong, code) => {
    const { FailedEntryCount, Entries } = await put(wrong)
    expect([FailedEntryCount, Entries?.[0]?.ErrorCode]).toEqual([1, code])
  })

  it('refuses a call with more than ten entries', async () => {
    await expect(put(...Array.from({ length: 11 }, () => entry))).rejects.toMatchObject({ name: 'ValidationException' })
  })
})
