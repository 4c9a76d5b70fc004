import { describe, expect, it } from 'vitest'
import { followLoad } from '../../../bin/aws-loads/follow-load.ts'
import { priceHours, sumHours } from '../../../bin/aws-loads/load-costs.ts'
import { describeLook, type LoadLook } from '../../../bin/aws-loads/look-at-load.ts'
import { at } from '../../../schema/at.ts'

const worker = { vcpus: 2, memoryGib: 4, scratchGib: 50, architecture: 'arm64' } as const
const start = new Date('2026-11-22T09:00:00Z')
const after = (minutes: number) => new Date(start.getTime() + minutes * 60_000)

interface Seen {
  readonly minutes: number
  readonly done: number
  readonly gigabytes: number
  readonly refused?: number
  readonly ended?: boolean
  readonly isDriven?: boolean
}

/** A load of ten files of 10 GB, as it looks after some minutes. */
function seen({ minutes, done, gigabytes, refused = 0, ended = false, isDriven = !ended }: Seen): LoadLook {
  const files = { open: 10 - done - refused, leased: 0, done, refused }
  const record = { loadId: 'l1', from: 'toc', startedAt: start, touchedAt: after(minutes) }
  return {
    record: ended ? { ...record, state: 'completed', endedAt: after(minutes) } : { ...record, state: 'running' },
    progress: { files, bytes: gigabytes * 1e9, bytesLeft: (100 - gigabytes) * 1e9, prices: done * 1000 },
    running: 3,
    hours: 1,
    costs: priceHours(1, worker),
    isDriven,
    at: after(minutes),
  }
}

describe('a look at a load', () => {
  it('shows files, bytes, prices, containers, the time left at the speed since the first look, and costs', () => {
    const [first, later] = [
      seen({ minutes: 0, done: 2, gigabytes: 20 }),
      seen({ minutes: 30, done: 4, gigabytes: 40, refused: 1 }),
    ]
    expect(describeLook(later, first)).toBe(
      '5 of 10 files (1 refused); 40 GB of 100 GB; 4,000 prices; 3 containers; about 2 h left; ' +
        '$0.03 (all on Spot) to $0.09 (none), calculated',
    )
  })

  it('says nothing about the time left before a file is read, and that a load is being planned', () => {
    const first = seen({ minutes: 0, done: 0, gigabytes: 0 })
    expect(describeLook(first, first)).not.toContain('left')
    const files = { open: 0, leased: 0, done: 0, refused: 0 }
    const planning = { ...first, progress: { files, bytes: 0, bytesLeft: 0, prices: 0 } }
    expect(describeLook(planning, planning)).toBe(
      'planning; 3 containers; $0.03 (all on Spot) to $0.09 (none), calculated',
    )
    const ended = { ...planning, record: { ...first.record, state: 'completed', endedAt: after(1) } as const }
    expect(describeLook(ended, ended)).toBe('3 containers; $0.03 (all on Spot) to $0.09 (none), calculated')
  })
})

/** Follows looks given by a test, and records what is shown and waited for. */
async function follow(looks: readonly LoadLook[], leaveAfter = Infinity) {
  const [shown, waited]: [string[], number[]] = [[], []]
  const leaving = new AbortController()
  const left = [...looks]
  const record = await followLoad({
    look: async () => left.shift() ?? seen({ minutes: 99, done: 10, gigabytes: 100, ended: true }),
    wait: async (seconds) => {
      waited.push(seconds)
      if (waited.length >= leaveAfter) leaving.abort()
    },
    progress: { show: (describe) => shown.push(describe()) },
    signal: leaving.signal,
  })
  return { record, shown, waited }
}

describe('following a load', () => {
  const looks = Array.from({ length: 14 }, (_, minutes) => seen({ minutes, done: 1, gigabytes: 10 }))

  it('returns its record when it ends; the first looks come quickly, and the others do not', async () => {
    const { record, shown, waited } = await follow(looks)
    expect(record?.state).toBe('completed')
    expect(waited).toEqual([...Array(11).fill(5), 60, 60, 60])
    expect(shown).toEqual(looks.map((look) => describeLook(look, at(looks, 0))))
  })

  it('returns the record of a load that nothing drives any more, after a second look', async () => {
    const dead = seen({ minutes: 1, done: 1, gigabytes: 10, isDriven: false })
    const { record, waited } = await follow([...looks.slice(0, 1), dead, dead, ...looks])
    expect(record).toEqual(dead.record)
    expect(waited).toEqual([5, 5])
  })

  it('returns nothing if the operator leaves', async () => {
    expect((await follow(looks, 3)).record).toBeUndefined()
  })
})

describe('the costs of a load', () => {
  it('cover all containers: CPUs, memory, disk over 20 GiB and the address', () => {
    const { least, most } = priceHours(100, worker)
    expect(most).toBeCloseTo(100 * (2 * 0.03238 + 4 * 0.00356 + 30 * 0.000111 + 0.005), 6)
    expect(least).toBeLessThan(most / 2)
    expect(priceHours(1, { ...worker, scratchGib: 20 }).most).toBeCloseTo(2 * 0.03238 + 4 * 0.00356 + 0.005, 6)
  })

  it('add up hours of containers that ended and that run', () => {
    const ended = { step: 'work', startedAt: start, stoppedAt: after(90) } as const
    expect(sumHours([ended, { step: 'work', startedAt: after(60) }], after(120))).toBe(2.5)
  })
})
