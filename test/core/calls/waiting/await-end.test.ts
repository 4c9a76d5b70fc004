import { describe, expect, it } from 'vitest'
import { getSearch } from '../../../../core/calls/get-search.ts'
import { InvalidRequest, NotFound } from '../../../../core/errors.ts'
import { complete, openSearch, storeProcessing } from '../../../builders/open-search.ts'
import { letIn, ownKey } from '../../../builders/own-job.ts'
import { createMemorySigner } from '../../../doubles/memory-access.ts'

/** A processing job, and waits whose sleeps pass the time of a test's clock. */
async function openWait({
  slots = 1,
  onSleep = async (_seconds: number) => {},
  onTake = (_clock: { advance(seconds: number): void }) => {},
  readingSeconds = 0,
} = {}) {
  const search = openSearch()
  const job = await storeProcessing(search)
  const startedAt = search.clock.now().getTime()
  const passed = () => (search.clock.now().getTime() - startedAt) / 1000
  const held = new Set<string>()
  /** Seconds from the time of each call that asked for a slot to the time until which it asked. */
  const asked: number[] = []
  const lookups = { count: 0, fails: false }
  const letInside = letIn(search)
  const lookup = {
    lookUp: (...args: Parameters<typeof letInside.lookup.lookUp>) => {
      lookups.count += 1
      if (lookups.count > 1) search.clock.advance(readingSeconds)
      if (lookups.fails) throw new Error('the table is gone')
      return letInside.lookup.lookUp(...args)
    },
  }
  const deps = {
    ...search.deps,
    ...letInside,
    lookup,
    signer: createMemorySigner(new Date('2026-11-20T10:30:00.000Z')),
    publicBaseUrl: 'https://rates.example/prod',
    waiting: {
      lookup,
      sleep: async (milliseconds: number) => {
        search.clock.advance(milliseconds / 1000)
        await onSleep(passed())
      },
      waitSlots: {
        take: async (_: string, now: Date, until: Date) => {
          asked.push((until.getTime() - now.getTime()) / 1000)
          onTake(search.clock)
          if (held.size >= slots) return undefined
          held.add(`slot ${held.size}`)
          return `slot ${held.size - 1}`
        },
        free: async (slot: string) => void held.delete(slot),
      },
    },
  }
  return {
    search,
    job,
    held,
    asked,
    lookups,
    passed,
    wait: (wait: string) => getSearch(deps, ownKey, job.jobId, { wait }),
  }
}

describe('a call that waits for the end of a search', () => {
  it('answers soon after the search has ended, and frees its slot', async () => {
    let isEnded = false
    const open = await openWait({
      onSleep: async (seconds) => {
        if (seconds < 3 || isEnded) return
        isEnded = true
        await complete(open.search, open.job)
      },
    })
    expect(await open.wait('20')).toMatchObject({ body: { status: 'completed' } })
    expect(open.passed()).toBeLessThan(5.1)
    expect(open.held.size).toBe(0)
  })

  it('answers after its time with the search as it is, after few readings', async () => {
    const open = await openWait()
    expect(await open.wait('20')).toMatchObject({ body: { status: 'processing' }, retryAfter: 15 })
    expect(open.passed()).toBe(20)
    expect(open.asked).toEqual([30])
    expect(open.lookups.count).toBeLessThan(17)
    expect(open.held.size).toBe(0)
  })

  it('counts the time of slow readings', async () => {
    const open = await openWait({ readingSeconds: 3 })
    await open.wait('20')
    expect(open.passed()).toBeGreaterThanOrEqual(20)
    expect(open.passed()).toBeLessThanOrEqual(23)
  })

  it.each([
    ['no slot is free', { slots: 0 }, '20', [30]],
    ['it asks for no wait', {}, '0', []],
  ])('answers at once if %s', async (_, options, wait, asked) => {
    const open = await openWait(options)
    expect(await open.wait(wait)).toMatchObject({ body: { status: 'processing' } })
    expect([open.passed(), open.lookups.count, open.asked]).toEqual([0, 1, asked])
  })

  it('answers at once about a search that has ended', async () => {
    const open = await openWait()
    await complete(open.search, open.job)
    expect(await open.wait('20')).toMatchObject({ body: { status: 'completed' } })
    expect([open.passed(), open.lookups.count]).toEqual([0, 1])
  })

  it('answers with the search as it was read last if reading it again breaks', async () => {
    const open = await openWait({
      onSleep: async () => {
        open.lookups.fails = true
      },
    })
    expect(await open.wait('20')).toMatchObject({ body: { status: 'processing' } })
    expect(open.held.size).toBe(0)
  })

  it.each(['while it takes its slot', 'while it sleeps'])(
    'reads no more often if the clock is set %s',
    async (moment) => {
      for (const step of [-3600, 3600]) {
        let isSet = false
        const setOnce = (clock: { advance(seconds: number): void }) => {
          if (!isSet) clock.advance(step)
          isSet = true
        }
        const open = await openWait({
          onTake: moment.endsWith('slot') ? setOnce : () => {},
          onSleep: async () => setOnce(open.search.clock),
        })
        expect(await open.wait('20')).toMatchObject({ body: { status: 'processing' } })
        expect(open.lookups.count).toBeLessThan(17)
        expect(open.passed()).toBeLessThanOrEqual(step + 20)
        expect(open.held.size).toBe(0)
      }
    },
  )

  it('refuses a search that is deleted meanwhile, and frees its slot', async () => {
    let isDeleted = false
    const open = await openWait({
      onSleep: async () => {
        if (isDeleted) return
        isDeleted = true
        await complete(open.search, open.job)
        await open.search.jobs.noteAnnounced(open.job)
        await open.search.jobs.remove(open.job)
      },
    })
    await expect(open.wait('20')).rejects.toThrow(NotFound)
    expect(open.held.size).toBe(0)
  })

  it.each(['21', '-1', '1.5', 'x', ''])('refuses the wait %j', async (wait) => {
    const open = await openWait()
    const message = `must be a whole number of seconds from 0 to 20; got ${JSON.stringify(wait)}`
    await expect(open.wait(wait)).rejects.toEqual(new InvalidRequest([{ path: 'wait', message }]))
  })
})
