/** Returns the code of an error of Node or a library, such as `ENOENT`; empty if it has none. */
export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')
