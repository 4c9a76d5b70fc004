import { describe, expect, it } from 'vitest'
import { requireFields } from '../../adapters/require-fields.ts'

describe('a check of required fields', () => {
  it('accepts fields that are empty, zero or false', () => {
    expect(() => requireFields({ name: '', size: 0, isLast: false }, ['name', 'size', 'isLast'], 'S3')).not.toThrow()
  })

  it.each([[{ name: 'a' }], [{ name: 'a', size: undefined }], [{ name: 'a', size: null }]])(
    'names the field that is missing: %j',
    (answer: { readonly name?: string; readonly size?: number | null | undefined }) => {
      expect(() => requireFields(answer, ['name', 'size'], 'S3')).toThrow(
        new TypeError('S3 gave an answer without size'),
      )
    },
  )
})
