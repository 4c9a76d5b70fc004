import fc from 'fast-check'
import { expect, it } from 'vitest'
import { leaseFile, leaseSeconds, newLease, settleFile, type Worker } from '../../../core/loads/lease-file.ts'
import { type FileOutcome, fileKey } from '../../../core/loads/load-work.ts'
import type { LoadWork } from '../../../core/loads/ports.ts'
import { createMemoryLoadWork } from '../../doubles/memory-load-work.ts'

/** The behaviour of a worker: the outcome of each file, and the number of requests after which it is killed. */
const behaviour = fc.record({
  renewals: fc.nat({ max: 3 }),
  refuses: fc.boolean(),
  /** Gives its first file back, as for SIGTERM. */
  givesBack: fc.boolean(),
  requests: fc.option(fc.nat({ max: 20 }), { nil: Number.POSITIVE_INFINITY }),
  /** True if its last request still arrives. */
  arrives: fc.boolean(),
})

type Behaviour = typeof behaviour extends fc.Arbitrary<infer Value> ? Value : never

class Killed extends Error {}

const loadId = 'load'

/** Runs a worker until nothing is left for it, or it is killed. */
async function run(worker: Worker, { renewals, refuses, givesBack }: Behaviour): Promise<void> {
  for (;;) {
    const lease = await leaseFile(worker)
    if (lease.kind !== 'leased') return
    const { file } = lease
    for (let renewal = 0; renewal < renewals; renewal++) {
      await worker.work.renew(loadId, file.key, newLease(worker))
    }
    if (givesBack) return void (await worker.work.giveBack(loadId, file.key, worker.name))
    const sourceId = `${worker.name} ${file.identity} ${file.attempts}`
    const ready: FileOutcome = { outcome: 'ready', sourceId, referencesKey: '', bytes: 1, prices: 1 }
    const refused: FileOutcome = { outcome: 'refused', file: file.identity, fault: 'is not JSON' }
    await settleFile(file, refuses ? refused : ready, worker)
  }
}

const steady: Behaviour = {
  renewals: 0,
  refuses: false,
  givesBack: false,
  requests: Number.POSITIVE_INFINITY,
  arrives: true,
}

it('settles each file once, whatever workers do, however slow they are and whenever they are killed', async () => {
  const files = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 5 })
  const workers = fc.array(behaviour, { minLength: 1, maxLength: 4 })
  const numbers = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }))
  const pauses = fc.infiniteStream(fc.constantFrom(0, 1, leaseSeconds + 1))
  const chances = fc.record({ seconds: pauses, drawn: numbers })
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      files,
      workers,
      chances,
      async (scheduler, sizes, behaviours, { seconds, drawn }) => {
        let time = Date.UTC(2026, 10, 20)
        const now = () => new Date(time)
        const random = () => drawn.next().value ?? 0
        const stored = createMemoryLoadWork()
        const sources = new Map<string, string[]>()
        const watched: LoadWork = {
          ...stored,
          record: async (id, identity, outcome) => {
            const written = await stored.record(id, identity, outcome)
            if (written === 'written' && outcome.outcome === 'ready')
              sources.set(identity, [...(sources.get(identity) ?? []), outcome.sourceId])
            return written
          },
        }
        const identities = sizes.map((_, index) => `https://rates.example/${index}.json`)
        for (const [index, identity] of identities.entries())
          await stored.open(loadId, { identity, location: identity, listedAt: now(), bytes: sizes[index] ?? 0 })

        /** Each request waits for its turn, takes its time, and may be the last one of its worker. */
        const slowly = (name: string, { requests, arrives }: Behaviour): LoadWork => {
          let left = requests
          const request = async <Result>(send: () => Promise<Result>): Promise<Result> => {
            await scheduler.schedule(Promise.resolve(), name)
            time += 1000 * (seconds.next().value ?? 0)
            if (left-- > 0) return send()
            if (arrives) await send()
            throw new Killed(name)
          }
          return {
            ...watched,
            listOpen: async function* (id) {
              yield* await request(() => Array.fromAsync(watched.listOpen(id)))
            },
            lease: (...args) => request(() => watched.lease(...args)),
            renew: (...args) => request(() => watched.renew(...args)),
            giveBack: (...args) => request(() => watched.giveBack(...args)),
            record: (...args) => request(() => watched.record(...args)),
            close: (...args) => request(() => watched.close(...args)),
          }
        }
        const running = behaviours.map((each, index) => {
          const name = `w${index}`
          return run({ loadId, name, work: slowly(name, each), now, random }, each).catch((error: unknown) => {
            if (!(error instanceof Killed)) throw error
          })
        })
        await scheduler.waitFor(Promise.all(running))
        // Every file is either open or settled.
        const open = new Set((await Array.fromAsync(stored.listOpen(loadId))).map(({ identity }) => identity))
        const before = await stored.readOutcomes(loadId)
        expect(identities.filter((identity) => !open.has(identity) && !before.has(fileKey(identity)))).toEqual([])

        time += 1000 * (leaseSeconds + 1)
        await run({ loadId, name: 'last', work: watched, now, random }, steady)
        const after = await stored.readOutcomes(loadId)
        expect(await Array.fromAsync(stored.listOpen(loadId))).toEqual([])
        for (const identity of identities) {
          const outcome = after.get(fileKey(identity))
          const recorded = sources.get(identity) ?? []
          expect(recorded.length).toBeLessThanOrEqual(1)
          expect(outcome).toMatchObject(
            recorded[0] === undefined ? { outcome: 'refused' } : { outcome: 'ready', sourceId: recorded[0] },
          )
        }
      },
    ),
    { numRuns: 300 },
  )
})
