import { expect, it } from 'vitest'
import { describeState } from '../../../bin/aws-loads/describe-load.ts'
import { findWaiting } from '../../../bin/aws-loads/load-commands.ts'

it('shows a load as running while an execution drives it, and as killed without one', async () => {
  const now = new Date()
  const hourAgo = new Date(now.getTime() - 3_600_000)
  const load = { from: 'toc', state: 'running', startedAt: hourAgo, touchedAt: hourAgo } as const
  const asked: string[] = []
  const findRunning = async (loadId: string) => {
    asked.push(loadId)
    return loadId === 'waits' ? 'arn' : undefined
  }
  const records = [
    { ...load, loadId: 'waits' },
    { ...load, loadId: 'killed' },
    { ...load, loadId: 'alive', touchedAt: now },
    { ...load, loadId: 'ended', state: 'completed', endedAt: hourAgo } as const,
  ]
  const shown = await findWaiting(records, { findRunning }, now)
  expect(shown.map((each) => `${each.loadId}: ${describeState(each)}`)).toEqual([
    'waits: running',
    'killed: killed',
    'alive: running',
    'ended: completed',
  ])
  expect(asked).toEqual(['waits', 'killed'])
})
