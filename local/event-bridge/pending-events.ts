import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceEvent } from '../peers.ts'

const repeatMs = 60_000
const keptMs = 86_400_000

/**
 * Keeps accepted events until their targets have handled them, as EventBridge and Lambda's queue do for a day.
 *
 * @param deliver rejects unless every target has handled the event
 */
export function openPendingEvents(folder: string, deliver: (event: ServiceEvent) => Promise<void>, now: () => Date) {
  mkdirSync(folder, { recursive: true })
  const underWay = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const attempt = async (id: string, event: ServiceEvent) => {
    underWay.add(id)
    const isHandled = await deliver(event).then(
      () => true,
      () => false,
    )
    if (isHandled) rmSync(join(folder, id), { force: true })
    underWay.delete(id)
  }
  const repeat = () => {
    for (const id of readdirSync(folder)) {
      if (underWay.has(id)) continue
      const event = readEvent(join(folder, id))
      if (event === undefined || Date.parse(event.time) < now().getTime() - keptMs) rmSync(join(folder, id))
      else void attempt(id, event)
    }
  }
  return {
    /** Keeps an event, then delivers it. */
    add: (id: string, event: ServiceEvent): void => {
      writeFileSync(join(folder, id), JSON.stringify(event))
      void attempt(id, event)
    },
    /** Delivers what is left of the last run, and again every minute what a target failed to handle. */
    start: (): void => {
      timer = setInterval(repeat, repeatMs)
      repeat()
    },
    close: async () => clearInterval(timer),
  }
}

/** Undefined if its writing was cut: then it was not acknowledged. */
function readEvent(path: string): (ServiceEvent & { readonly time: string }) | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
