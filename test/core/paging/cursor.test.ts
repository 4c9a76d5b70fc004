import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCursor, writeCursor } from '../../../core/paging/cursor.ts'

const text = fc.string({ unit: 'binary', maxLength: 20 })
const scopes = fc.array(fc.option(text), { minLength: 1, maxLength: 4 })
const positions = fc.array(text, { maxLength: 4 })

describe('a cursor', () => {
  it('returns its position in the list that it was written for', () => {
    fc.assert(
      fc.property(scopes, positions, (scope, position) => {
        // UTF-8 cannot represent lone surrogates, and names have none.
        const wellFormed = position.map((part) => part.toWellFormed())
        expect(readCursor(scope, writeCursor(scope, wellFormed))).toEqual(wellFormed)
      }),
    )
  })

  it('cannot be used for any other list', () => {
    fc.assert(
      fc.property(scopes, scopes, positions, (scope, other, position) => {
        fc.pre(JSON.stringify(scope) !== JSON.stringify(other))
        expect(readCursor(other, writeCursor(scope, position))).toBeUndefined()
      }),
    )
  })

  it('cannot have any character changed, removed or added', () => {
    const cursor = writeCursor(['searches', 'Org123456789', null], ['2026-11-20T09:30:00.123Z', 'job'])
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), text, fc.boolean(), (at, inserted, isAdded) => {
        const changed = cursor.slice(0, at) + inserted + cursor.slice(isAdded ? at : at + 1)
        fc.pre(changed !== cursor)
        expect(readCursor(['searches', 'Org123456789', null], changed)).toBeUndefined()
      }),
    )
  })

  it.each(['', '.', 'e30', '{}', '["a",1]', '"a"', 'null', '["a" ]', '["\\u0061"]'])(
    'made by hand is refused unless it is a position in canonical form: %j',
    (json) => {
      const position = Buffer.from(json).toString('base64url')
      const digest = createHash('sha256')
        .update(JSON.stringify(['list', position]))
        .digest('base64url')
        .slice(0, 8)
      expect(readCursor(['list'], `${position}.${digest}`)).toBeUndefined()
    },
  )
})
