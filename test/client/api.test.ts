import { describe, expect, expectTypeOf, it } from 'vitest'
import { describeApi } from '../../bin/documents/api-document.ts'
import { describeClient } from '../../bin/documents/client-page.ts'
import { describeClientTypes } from '../../bin/documents/client-types.ts'
import type * as api from '../../client/api.ts'
import { SearchCalls } from '../../client/search-calls.ts'
import type { ErrorBody, FeeSchedulesBody, SearchBody, SearchRequestBody } from '../../contract/search-api.ts'
import { readText } from '../templates/source-files.ts'

describe('docs/client.md', () => {
  it('equals the output of npm run schema', () => {
    expect(readText('docs/client.md')).toBe(describeClient(readText, describeApi()))
  })

  it('explains every method with an example', () => {
    const names = Object.getOwnPropertyNames(SearchCalls.prototype).filter((name) => name !== 'constructor')
    expect(names.length).toBeGreaterThan(7)
    for (const name of [...names, 'download'])
      expect(readText('docs/client.md')).toMatch(
        new RegExp(`\n### ${name}\n(?:(?!\n###)[^])*\n\`\`\`ts\n(?:(?!\n###)[^])*client\\.${name}\\(`),
      )
  })
})

describe('client/api.ts', () => {
  it('equals the output of npm run schema', () => {
    expect(readText('client/api.ts')).toBe(describeClientTypes(describeApi()))
  })

  it('agrees with the types of the contract', () => {
    expectTypeOf<api.Search>().branded.toEqualTypeOf<SearchBody>()
    expectTypeOf<api.SearchRequest>().branded.toEqualTypeOf<SearchRequestBody>()
    expectTypeOf<api.FeeSchedulesPage>().branded.toEqualTypeOf<FeeSchedulesBody>()
    expectTypeOf<api.ErrorBody>().branded.toEqualTypeOf<ErrorBody>()
    // Types are held by the compiler; each test must also expect something when it runs.
    expect(readText('client/api.ts')).toContain('export interface SearchRequest')
  })
})
