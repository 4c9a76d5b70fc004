import { describe, expect, it } from 'vitest'
import { describeLayouts } from '../../../bench/layout/layout-report.ts'

const layout = (name: string, bytes: number) => ({ name, files: 1, rowGroups: 1, bytes })
const search = (name: string, ours: number, sorted: number) => ({
  name,
  namesCodes: name.includes('codes'),
  rows: 7,
  bytes: [ours, sorted, 5000],
  seconds: [0.01, 0.02, 0.05],
})

const lastLines = (text: string) => text.split('\n').slice(-4)

describe('the layout report', () => {
  it('says whether each goal is met, and by how much', () => {
    const stored = [layout('ours', 100), layout('sorted', 1000), layout('unsorted', 2999)]
    const searches = [search('1 NPI', 300, 100), search('1 NPI, 5 codes', 10, 100), search('5 codes', 11, 100)]
    expect(lastLines(describeLayouts(stored, searches))).toEqual([
      'met: 10 times fewer stored bytes than sorted (goal: 10)',
      'NOT MET: 30 times fewer stored bytes than unsorted (goal: 30)',
      'NOT MET: searches that name codes read at most 10 % of sorted: 1 NPI, 5 codes 10 %; 5 codes 11 %',
      'reads more than sorted: 1 NPI (3 times)',
    ])
  })

  it('ignores searches without codes in the goal for searches with codes', () => {
    const stored = [layout('ours', 100), layout('sorted', 1000), layout('unsorted', 3000)]
    const searches = [search('10 NPIs', 90, 100), search('5 codes', 10, 100)]
    expect(lastLines(describeLayouts(stored, searches)).slice(1)).toEqual([
      'met: 30 times fewer stored bytes than unsorted (goal: 30)',
      'met: searches that name codes read at most 10 % of sorted: 5 codes 10 %',
      'reads more than sorted: none',
    ])
  })

  it('has one line per layout and one per search, with ratios to our layout', () => {
    const stored = [layout('ours', 2_000_000), layout('sorted', 3_000_000), layout('unsorted', 9_000_000)]
    const text = describeLayouts(stored, [search('5 codes', 1000, 2000)])
    expect(text).toMatch(/^unsorted +1 +1 +9 +4.5$/m)
    expect(text).toMatch(/^5 codes +7 +0.001 +0.002 +0.005 +2 +5$/m)
    expect(text).toMatch(/^5 codes +7 +10 +20 +50 +2 +5$/m)
  })
})
