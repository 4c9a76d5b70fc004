import { requestDays } from '../core/retention.ts'
import type { Stage } from './stage.ts'

/** An invalid stage; the message names each field and value, in one line. */
export class StageNotValid extends Error {
  override readonly name = 'StageNotValid'
  constructor(stage: string, faults: readonly string[]) {
    super(`the stage "${stage}" is not valid: ${faults.join('; ')}`)
  }
}

/** @throws StageNotValid naming all faults */
export function requireValidStage(stage: Stage): void {
  const faults = findStageFaults(stage)
  if (faults.length > 0) throw new StageNotValid(stage.name, faults)
}

/** Minimum of a workgroup's limit. Source: Athena API Reference, BytesScannedCutoffPerQuery. */
const minDataLimitBytes = 10_000_000

/** Validates a stage. Each fault names the field, its value and the rule; empty for a valid stage. */
export function findStageFaults(stage: Stage): readonly string[] {
  const { retentionDays, waitingHours, runningHours, dataLimitBytes, throttle } = stage
  const isWhole = (value: number, least: number) => Number.isSafeInteger(value) && value >= least
  const whole = (field: string, value: number, least = 1) =>
    isWhole(value, least) ? [] : [`${field} must be a whole number of at least ${least}, not ${value}`]
  const address = (field: string, text: string | undefined) =>
    text === undefined || isAddress(text)
      ? []
      : [`${field} must be an http or https URL without a slash at its end, not "${text}"`]
  const numbers = [
    ...whole('retentionDays', retentionDays),
    ...whole('waitingHours', waitingHours),
    ...whole('runningHours', runningHours),
    ...whole('dataLimitBytes', dataLimitBytes, minDataLimitBytes),
    ...whole('throttle.requestsPerSecond', throttle.requestsPerSecond),
    ...whole('throttle.burst', throttle.burst),
  ]
  return [
    ...(/^[A-Za-z0-9-]{1,64}$/.test(stage.name) ? [] : ['name must have 1 to 64 letters, digits and hyphens']),
    ...numbers,
    ...(numbers.length === 0 ? findLifetimeFaults(stage) : []),
    ...address('publicBaseUrl', stage.publicBaseUrl),
    ...address('athenaEndpoint', stage.athenaEndpoint),
  ]
}

/** A job that starts at the last moment and runs for the longest time must still find its request. */
function findLifetimeFaults({ retentionDays, waitingHours, runningHours }: Stage): readonly string[] {
  const hours = requestDays(retentionDays) * 24
  if (waitingHours + runningHours < hours) return []
  return [
    `waitingHours + runningHours must be less than ${hours}, not ${waitingHours + runningHours}: ` +
      `with retentionDays ${retentionDays} a request is deleted ${hours} hours after its creation`,
  ]
}

function isAddress(text: string): boolean {
  const url = URL.parse(text.replaceAll(/\{\w+\}/g, 'x'))
  const isPlain = url !== null && url.search === '' && url.hash === '' && url.username === ''
  return isPlain && /^https?:$/.test(url.protocol) && !text.endsWith('/')
}
