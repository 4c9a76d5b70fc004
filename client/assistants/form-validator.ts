import process from 'node:process'

export { process }

/**
 * Takes the place of the JSON Schema validator of the protocol's SDK in the bundles of functions: it checks forms that
 * people fill in for a server (elicitation). Tools show none, and their arguments are parsed by their own schemas.
 */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new TypeError('a tool asked for a form')
  }
}
