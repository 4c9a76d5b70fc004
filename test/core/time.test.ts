import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addSeconds, formatTimestamp, isoDay } from '../../core/time.ts'

const anyTime = fc.date({
  noInvalidDate: true,
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
})

describe('a timestamp', () => {
  it('shows milliseconds and a numeric offset', () => {
    expect(formatTimestamp(new Date('2026-11-20T09:30:00.123Z'))).toBe('2026-11-20T09:30:00.123+00:00')
    expect(formatTimestamp(new Date('2026-11-20T10:30:00+01:00'))).toBe('2026-11-20T09:30:00.000+00:00')
  })

  it('parses back to the same time, and sorts chronologically', () => {
    fc.assert(
      fc.property(anyTime, anyTime, (one, other) => {
        expect(formatTimestamp(one)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
        expect(new Date(formatTimestamp(one))).toEqual(one)
        expect(formatTimestamp(one) < formatTimestamp(other)).toBe(one < other)
      }),
    )
  })
})

describe('the day of a time', () => {
  it('follows UTC', () => {
    expect(isoDay(new Date('2026-11-20T23:59:59.999Z'))).toBe('2026-11-20')
    expect(isoDay(new Date('2026-11-21T01:30:00+02:00'))).toBe('2026-11-20')
  })
})

describe('seconds', () => {
  it('add up without mutating the given time', () => {
    const time = new Date('2026-12-31T23:59:59.500Z')
    expect(addSeconds(time, 1)).toEqual(new Date('2027-01-01T00:00:00.500Z'))
    expect(addSeconds(time, -0.5)).toEqual(new Date('2026-12-31T23:59:59.000Z'))
    expect(time).toEqual(new Date('2026-12-31T23:59:59.500Z'))
  })
})
