import { describe, expect, expectTypeOf, it } from 'vitest'
import { describeApi } from '../../bin/command/api-document.ts'
import { describeClientTypes } from '../../bin/command/client-types.ts'
import type * as api from '../../client/api.ts'
import type { ErrorBody, FeeSchedulesBody, SearchBody, SearchRequestBody } from '../../contract/search-api.ts'
import { readText } from '../templates/source-files.ts'

describe('client/api.ts', () => {
  it('is what npm run schema writes', () => {
    expect(readText('client/api.ts')).toBe(describeClientTypes(describeApi()))
  })

  it('has the types of the contract', () => {
    expectTypeOf<api.Search>().branded.toEqualTypeOf<SearchBody>()
    expectTypeOf<api.SearchRequest>().branded.toEqualTypeOf<SearchRequestBody>()
    expectTypeOf<api.FeeSchedulesPage>().branded.toEqualTypeOf<FeeSchedulesBody>()
    expectTypeOf<api.ErrorBody>().branded.toEqualTypeOf<ErrorBody>()
    // Types are held by the compiler; each test must also expect something when it runs.
    expect(readText('client/api.ts')).toContain('export interface SearchRequest')
  })
})
