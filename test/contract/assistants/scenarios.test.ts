import { describe, expect, it } from 'vitest'
import { readText } from '../../templates/source-files.ts'
import { scenarios } from './scenarios.ts'

describe('docs/assistants.md', () => {
  it('lists each scenario that is run, with its versions and the number of checks that do not apply', () => {
    const rows = readText('docs/assistants.md').matchAll(/^\| `([\w-]+)` \| ([\d, -]+) \| (\d+) \|$/gm)
    expect([...rows].map(([, name, versions, inapplicable]) => ({ name, versions, inapplicable }))).toEqual(
      scenarios.map(({ name, versions, inapplicable = {} }) => ({
        name,
        versions: versions.join(', '),
        inapplicable: String(Object.keys(inapplicable).length),
      })),
    )
  })
})
