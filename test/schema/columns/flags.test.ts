import { describe, expect, it } from 'vitest'
import { flagLists } from '../../../loader/write/validation/amount-flags.ts'
import { flagNames, rowFlags } from '../../../schema/columns/flags.ts'
import { ratesViewSelect } from '../../../schema/columns/rates-views.ts'
import { isThere, readText } from '../../templates/source-files.ts'

const flags = Object.entries(rowFlags)

describe('the table of flags', () => {
  it('names for each flag a file that exists', () => {
    expect(flags.filter(([, { decidedIn }]) => !isThere(decidedIn))).toEqual([])
  })

  it('equals the table in the section Flags of docs/result-values.md', () => {
    const [, section = ''] = /^## Flags\n(.*?)^## /ms.exec(readText('docs/result-values.md')) ?? []
    const rows = [...section.matchAll(/^\| `(\w+)` \| (.*) \| `(.*)` \|$/gm)].map(([, ...cells]) => cells)
    expect(rows).toEqual(flags.map(([name, { over, rule }]) => [name, over, rule]))
  })

  it('says which flags the loader writes', () => {
    const written = new Set(flagLists.flatMap((list) => (Array.isArray(list) ? list : [])))
    const decided = flags.filter(([, { decidedIn }]) => decidedIn.startsWith('loader/')).map(([name]) => name)
    expect([...written].sort()).toEqual(decided.sort())
  })

  it('says which flags the view adds', () => {
    const view = ratesViewSelect()
    const added = flagNames.filter((name) => view.includes(`ARRAY['${name}']`))
    expect(added).toEqual(flagNames.filter((name) => rowFlags[name].inView !== undefined))
  })
})
