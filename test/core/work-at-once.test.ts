import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mapAtOnce, workAtOnce } from '../../core/work-at-once.ts'

describe('work on members', () => {
  it('runs once for each member, at a limited width', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.nat(30), fc.integer({ min: 1, max: 8 }), async (scheduler, count, width) => {
        const members = Array.from({ length: count }, (_, index) => index)
        const begun: number[] = []
        let active = 0
        let most = 0
        await scheduler.waitFor(
          workAtOnce(members, width, async (member) => {
            begun.push(member)
            active += 1
            most = Math.max(most, active)
            await scheduler.schedule(Promise.resolve())
            active -= 1
          }),
        )
        expect({ begun, most }).toEqual({ begun: members, most: Math.min(width, count) })
      }),
    )
  })

  it('gives its results in the order of the members, in whatever order they come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.nat()),
        fc.integer({ min: 1, max: 8 }),
        async (scheduler, members, width) => {
          const results = await scheduler.waitFor(
            mapAtOnce(members, width, (member) => scheduler.schedule(Promise.resolve(member + 1))),
          )
          expect(results).toEqual(members.map((member) => member + 1))
        },
      ),
    )
  })

  it('ends with the first error, after what was begun has ended, and begins nothing more', async () => {
    const ended: number[] = []
    const work = workAtOnce([1, 2, 3, 4, 5], 2, async (member) => {
      if (member === 2) throw new TypeError('refused')
      await Promise.resolve()
      await Promise.resolve()
      ended.push(member)
    })
    await expect(work).rejects.toThrow('refused')
    expect(ended).toEqual([1])
  })
})
