import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JobStatus } from '../../../core/job/job.ts'
import { endOf, executionName, isJobId, isTerminal, predecessorsOf, transitions } from '../../../core/job/job.ts'
import { newJob } from '../../builders/sample-search.ts'

const statuses: readonly JobStatus[] = ['queued', 'processing', 'completed', 'failed']
const pairs = statuses.flatMap((from) => statuses.map((to) => [from, to] as const))
const leadsTo = (from: JobStatus, to: JobStatus) => transitions[from].some((next) => next === to)

describe('the job states', () => {
  it('completed and failed are final', () => {
    expect(statuses.filter(isTerminal)).toEqual(['completed', 'failed'])
    expect(pairs.filter(([from, to]) => isTerminal(from) && predecessorsOf(to).includes(from))).toEqual([])
  })

  it.each(pairs)('%s precedes %s exactly if the table says so', (from, to) => {
    expect(predecessorsOf(to).includes(from)).toBe(leadsTo(from, to))
  })

  it('start with queued, which has no predecessor, and end after any walk through the table', () => {
    expect(predecessorsOf('queued')).toEqual([])
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (choices) => {
        let status: JobStatus = 'queued'
        let steps = 0
        for (const choice of choices) {
          const next: readonly JobStatus[] = transitions[status]
          const chosen = next[choice % Math.max(1, next.length)]
          if (chosen === undefined) break
          status = chosen
          steps += 1
        }
        return isTerminal(status) && steps <= 2
      }),
    )
  })

  it('match the drawing in docs/architecture.md', () => {
    const document = readFileSync(new URL('../../../docs/architecture.md', import.meta.url), 'utf8')
    const diagram = /stateDiagram-v2\n([^`]*)```/.exec(document)?.[1] ?? ''
    const drawn = diagram
      .trim()
      .split('\n')
      .map((line) => line.trim())
    const table = pairs.filter(([from, to]) => leadsTo(from, to)).map(([from, to]) => `${from} --> ${to}`)
    const ends = statuses.filter(isTerminal).map((status) => `${status} --> [*]`)
    expect(drawn.sort()).toEqual(['[*] --> queued', ...table, ...ends].sort())
  })
})

describe('the end of a job', () => {
  const endedAt = new Date('2026-11-20T10:00:00.000Z')

  it('equals the time at which it completed or failed', () => {
    const { status: _, ...base } = newJob()
    expect(endOf({ ...base, status: 'completed', completedAt: endedAt })).toBe(endedAt)
    expect(endOf({ ...base, status: 'failed', failedAt: endedAt })).toBe(endedAt)
  })

  it('stays undefined while the job runs', () => {
    expect(endOf(newJob())).toBeUndefined()
    expect(endOf({ ...newJob(), status: 'processing' })).toBeUndefined()
  })
})

describe('a job id', () => {
  it('accepts any UUID of version 4 in lower case', () => {
    fc.assert(
      fc.property(fc.uuid({ version: 4 }), (id) => {
        expect(isJobId(id)).toBe(true)
      }),
    )
  })

  it('rejects a UUID of another version, or with other text around it', () => {
    fc.assert(
      fc.property(fc.uuid({ version: [1, 2, 3, 5, 6, 7, 8] }), (id) => {
        expect(isJobId(id)).toBe(false)
      }),
    )
    fc.assert(
      fc.property(fc.uuid({ version: 4 }), fc.string({ minLength: 1 }), (id, text) => {
        expect([id + text, text + id, `${id}\n`].filter(isJobId)).toEqual([])
      }),
    )
  })

  it.each([
    '',
    'no-job',
    '0F8FAD5B-D9CB-469F-A165-70867728950E',
    '{0f8fad5b-d9cb-469f-a165-70867728950e}',
    '0f8fad5bd9cb469fa16570867728950e',
    '0f8fad5b-d9cb-469f-c165-70867728950e',
  ])('cannot be %j', (text) => {
    expect(isJobId(text)).toBe(false)
  })
})

describe('an execution name', () => {
  it('fits into 80 characters with the longest run', () => {
    expect(executionName(newJob({ run: 'r'.repeat(40) })).length).toBeLessThanOrEqual(80)
  })

  it('differs between the runs of one job id', () => {
    expect(executionName(newJob({ run: 'one' }))).not.toBe(executionName(newJob({ run: 'two' })))
  })
})
