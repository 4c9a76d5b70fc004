/** The parameter of a fragment that has a one-time token of the local service. */
const parameter = 'sign_in'

/** Adds a token to a link that has parameters. The fragment never leaves the browser by itself. */
export const addSignInToken = (link: string, token: string) => `${link}&${parameter}=${token}`

/** Takes the token out of a fragment. @returns the fragment without it, and the token if it has one */
export function splitSignInToken(fragment: string): { readonly fragment: string; readonly token?: string } {
  const [path = '', query = ''] = fragment.split('?')
  const parameters = new URLSearchParams(query)
  const token = parameters.get(parameter)
  if (token === null) return { fragment }
  parameters.delete(parameter)
  return { fragment: parameters.size === 0 ? path : `${path}?${parameters}`, token }
}
