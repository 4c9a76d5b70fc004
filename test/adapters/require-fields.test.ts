import { describe, expect, it } from 'vitest'
import { requireFields } from '../../adapters/require-fields.ts'

describe('the required fields of an answer', () => {
  it('are there also if they are empty, zero or false', () => {
    expect(() => requireFields({ name: '', size: 0, isLast: false }, ['name', 'size', 'isLast'], 'S3')).not.toThrow()
  })

  it.each([[{ name: 'a' }], [{ name: 'a', size: undefined }], [{ name: 'a', size: null }]])(
    'are refused by the name of the missing one: %j',
    (answer: { readonly name?: string; readonly size?: number | null | undefined }) => {
      expect(() => requireFields(answer, ['name', 'size'], 'S3')).toThrow(
        new TypeError('S3 gave an answer without size'),
      )
    },
  )
})
