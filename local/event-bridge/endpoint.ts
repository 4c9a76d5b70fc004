import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { LocalEndpoint } from '../endpoint.ts'
import type { Peers } from '../peers.ts'
import { openPendingEvents } from './pending-events.ts'
import { readEvents } from './rules.ts'
import { startEventBridge } from './server.ts'

/** The file below `logs/` with every event that functions sent, one a line, in the form that rules get. */
export const eventLog = 'events.jsonl'

/** EventBridge, with the rules of the stack. */
export const eventBridgeEndpoint: LocalEndpoint = {
  start: async ({ dataFolder, now, newId, observe }) => {
    const ready = Promise.withResolvers<Peers['publish']>()
    const publish: Peers['publish'] = async (event) => (await ready.promise)(event)
    const pending = openPendingEvents(join(dataFolder, 'events'), publish, now)
    mkdirSync(join(dataFolder, 'logs'), { recursive: true })
    const server = await startEventBridge({
      file: join(dataFolder, 'logs', eventLog),
      now,
      newId,
      onEvent: (event) => pending.add(event.id, event),
    })
    return {
      environment: { AWS_ENDPOINT_URL_EVENTBRIDGE: await observe('events', server.url) },
      peers: { publish },
      begin: async ({ template, peers, work }) => {
        const rules = readEvents(template, (arn, event) => peers.functions.invoke(arn, event))
        work.adopt(rules, ({ close }) => close())
        work.adopt(pending, ({ close }) => close())
        ready.resolve(rules.publish)
        rules.start()
        pending.start()
      },
      close: server.close,
    }
  },
}
