import { describe, expect, it } from 'vitest'
import { addSignInToken, splitSignInToken } from '../../../page/address/sign-in-link.ts'

describe('a link that signs in', () => {
  it('leads to the same view without its token', () => {
    const link = '#/?payer=A+%26+B&plan=Gold&codes=99213'
    expect(splitSignInToken(addSignInToken(link, 'a_b-c'))).toEqual({ fragment: link, token: 'a_b-c' })
  })

  it.each(['', '#/', '#/searches', '#/?plan=Gold'])('differs from %j', (fragment) => {
    expect(splitSignInToken(fragment)).toEqual({ fragment })
  })

  it('may consist of a view and its token only', () => {
    expect(splitSignInToken('#/searches?sign_in=x')).toEqual({ fragment: '#/searches', token: 'x' })
  })
})
