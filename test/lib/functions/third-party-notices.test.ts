import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundleFunctions } from '../../../lib/functions/function-code.ts'

const folder = bundleFunctions()
const noticesOf = (operation: string) => readFileSync(join(folder, operation, 'THIRD-PARTY-NOTICES.txt'), 'utf8')

describe('the third-party notices of a bundle', () => {
  it('name each package whose code the bundle contains, with its version and licence', () => {
    const notices = noticesOf('get-search')
    expect(notices).toMatch(/^@middy\/core \d+\.\d+\.\d+\nLicence: MIT$/m)
    expect(notices).toMatch(/^@aws-sdk\/client-dynamodb \d+\.\d+\.\d+\nLicence: Apache-2\.0$/m)
  })

  it('contain the text of a licence that its package ships', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../node_modules/valibot/LICENSE.md'), 'utf8')
    expect(noticesOf('start-query')).toContain(text.trim())
  })

  it('leave out packages that only other bundles contain', () => {
    expect(noticesOf('publish-results')).toMatch(/^hyparquet /m)
    expect(noticesOf('create-search')).not.toMatch(/^hyparquet /m)
  })

  it('name no package without a licence', () => {
    expect(noticesOf('publish-results')).not.toContain('Licence: unknown')
  })
})
