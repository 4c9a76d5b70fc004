import { describe, expect, it } from 'vitest'
import { firstSentence, shortenSchema } from '../../../client/assistants/shorten-schema.ts'

describe('the schema that an assistant is shown', () => {
  it('keeps the first sentence of each description, and leaves out patterns, examples and lengths', () => {
    const codes = { type: 'array', items: { type: 'string', pattern: '^x$', maxLength: 64 }, minItems: 1, maxItems: 9 }
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { codes: { ...codes, description: 'Codes of services. Left out: all.', examples: [['99213']] } },
      required: [],
      additionalProperties: false,
    }
    expect(shortenSchema(schema, { isDescribed: true })).toEqual({
      type: 'object',
      properties: { codes: { type: 'array', items: { type: 'string' }, description: 'Codes of services.' } },
      additionalProperties: false,
    })
  })

  it('leaves out descriptions that another tool has, but no argument by its name', () => {
    const description = { type: 'string', description: 'A text.', enum: ['a'] }
    const schema = { type: 'object', properties: { description, pattern: description }, required: ['pattern'] }
    const shown = { type: 'string', enum: ['a'] }
    expect(shortenSchema(schema, { isDescribed: false })).toEqual({
      type: 'object',
      properties: { description: shown, pattern: shown },
      required: ['pattern'],
      additionalProperties: false,
    })
  })

  it.each([
    ['Codes, such as 1.5 of v2. More.', 'Codes, such as 1.5 of v2.'],
    ['One sentence.', 'One sentence.'],
    ['no full stop', 'no full stop'],
    ['', ''],
  ])('shortens the text "%s"', (text, sentence) => {
    expect(firstSentence(text)).toBe(sentence)
  })
})
