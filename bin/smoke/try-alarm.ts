import { setTimeout as sleep } from 'node:timers/promises'
import { type AlarmTrial, openAlarm } from '../../adapters/cloudwatch/cloudwatch-alarm.ts'
import { CheckFailed } from './checks.ts'

/** Seconds to wait for CloudWatch to say that it has notified somebody. */
const patience = 60

/**
 * Sets an alarm off, and waits until CloudWatch says that it has notified its topics. CloudWatch resets the alarm.
 *
 * @returns the description of what was seen
 * @throws CheckFailed if nobody would be told
 */
export async function tryAlarm(
  name: string,
  now: Date,
  signal: AbortSignal,
  alarm: AlarmTrial = openAlarm(name),
): Promise<string> {
  const targets = await alarm.countTargets()
  if (targets === 0) throw new CheckFailed(`${name} notifies nobody: set alarmTargets in the stage file`)
  await alarm.setOff('npm run smoke: does this alarm reach its recipients?')
  for (let waited = 0; waited < patience; waited += 2) {
    const [action] = await alarm.listActions(now)
    if (action !== undefined) {
      if (/^failed/i.test(action)) throw new CheckFailed(`${name}: ${action}`)
      return `${name}: ${action}. Wait for the message, too`
    }
    await sleep(2000, undefined, { signal })
  }
  throw new CheckFailed(`${name} fired, but CloudWatch did not notify anybody within ${patience} seconds`)
}
