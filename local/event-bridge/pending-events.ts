import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceEvent } from '../peers.ts'

/** Time between two attempts to deliver an event, in milliseconds. */
const repeatMs = 60_000

/** Age at which an event is dropped, in milliseconds: a day. */
const retentionMs = 86_400_000

/**
 * Keeps accepted events until their targets have handled them, as EventBridge and Lambda's queue do for a day.
 *
 * @param deliver rejects unless every target has handled the event
 */
export function openPendingEvents(folder: string, deliver: (event: ServiceEvent) => Promise<void>, now: () => Date) {
  mkdirSync(folder, { recursive: true })
  const idsInDelivery = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const attempt = async (id: string, event: ServiceEvent) => {
    idsInDelivery.add(id)
    const isHandled = await deliver(event).then(
      () => true,
      () => false,
    )
    if (isHandled) rmSync(join(folder, id), { force: true })
    idsInDelivery.delete(id)
  }
  const repeat = () => {
    for (const id of readdirSync(folder)) {
      if (idsInDelivery.has(id)) continue
      const event = readEvent(join(folder, id))
      if (event === undefined || Date.parse(event.time) < now().getTime() - retentionMs) rmSync(join(folder, id))
      else void attempt(id, event)
    }
  }
  return {
    /** Keeps an event, then delivers it. */
    add: (id: string, event: ServiceEvent): void => {
      writeFileSync(join(folder, id), JSON.stringify(event))
      void attempt(id, event)
    },
    /** Delivers the events that the last run left, and every minute those that a target failed to handle. */
    start: (): void => {
      timer = setInterval(repeat, repeatMs)
      repeat()
    },
    close: async () => clearInterval(timer),
  }
}

/**
 * Returns undefined if the event is incomplete: the process ended while it wrote the file, and acknowledged nothing.
 */
function readEvent(path: string): (ServiceEvent & { readonly time: string }) | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
