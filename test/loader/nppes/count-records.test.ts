import { describe, expect, it } from 'vitest'
import { RecordCounter } from '../../../loader/nppes/count-records.ts'

function count(text: string, chunkSize = 1 << 16): number {
  const counter = new RecordCounter()
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += chunkSize) counter.add(bytes.subarray(at, at + chunkSize))
  return counter.records
}

describe('the records of CSV', () => {
  it.each([
    ['plain', '1,2\n3,4\n', 2],
    ['quoted, with a comma, a line end and a quote within', '"1,","a\nb""c"\n"3","4"\n', 2],
    ['with the line ends of Windows', '"1","2"\r\n"3","4"\r\n', 2],
    ['without fields', ',,\n,,\n', 2],
    ['with blank lines between', '1,2\n\n\r\n3,4\n', 2],
    ['with a quote within a plain field', '1,a"b\n3,4\n', 2],
    ['with text behind a closing quote', '"1"x,"2"\n"3","4"\n', 2],
    ['with a quote that is never closed', '"1","2\n"3","4"\n', 1],
    ['whose last line does not end', '1,2\n3', 1],
  ])('count once each: %s', (_, text, records) => {
    expect(count(text)).toBe(records)
    for (const chunkSize of [1, 2, 3]) expect(count(text, chunkSize)).toBe(records)
  })
})
