/** Decodes strings in the Huffman code of HPACK (RFC 7541 §5.2), four bits at a time. */
import { ERROR_CODE, Http2ConnectionError } from './http2-protocol.js'

/**
 * The length of each symbol's code (RFC 7541 appendix B): octets 0 to 255, then the end of the
 * string. Codes of one length are consecutive in symbol order, so the lengths define the codes.
 */
export const HUFFMAN_CODE_LENGTHS: readonly number[] = [
  // Control characters
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
  28, 28, 28, 28, 28, 28, 28, 28,
  // Space to question mark
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6,
  12, 10,
  // Capital letters
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14,
  6,
  // Lower-case letters
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13,
  28,
  // Octets from 128
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23,
  23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
  21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25,
  26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27,
  27, 28, 27, 27, 27, 27, 27, 26,
  // End of string
  30,
]

const END_OF_STRING = 256
const LONGEST_PADDING = 7
const NO_SYMBOL = 0xffff
const DEAD_END = 0xffff
const NOT_FILLED = 0xfffe

/** A node of the code tree; its branches for 0 and 1 lead to a node or a symbol. */
type Branch = Node | number
interface Node {
  readonly branches: Branch[]
  readonly number: number
  /** A string may end here: at most seven bits since the last symbol, all of them 1. */
  readonly mayEnd: boolean
}

const nodes: Node[] = []
const root = buildTree()

/**
 * For each node and each four bits: the node they lead to, and the symbol they complete. Filled when
 * a string has them, because headers use few and filling all takes 4 ms.
 */
const nextNodes = new Uint16Array(nodes.length * 16).fill(NOT_FILLED)
const symbols = new Uint16Array(nodes.length * 16).fill(NO_SYMBOL)

function addNode(depth: number, isAllOnes: boolean): Node {
  const node = { branches: [], number: nodes.length, mayEnd: isAllOnes && depth <= LONGEST_PADDING }
  nodes.push(node)
  return node
}

function buildTree(): Node {
  const tree = addNode(0, true)
  const lengthOf = (symbol: number) => HUFFMAN_CODE_LENGTHS[symbol] as number
  const byLength = [...HUFFMAN_CODE_LENGTHS.keys()].sort((a, b) => lengthOf(a) - lengthOf(b))
  let code = 0
  let length = 0
  for (const symbol of byLength) {
    code *= 2 ** (lengthOf(symbol) - length)
    length = lengthOf(symbol)
    insertCode(tree, code++, length, symbol)
  }
  return tree
}

function insertCode(tree: Node, code: number, length: number, symbol: number): void {
  let node = tree
  for (let depth = 1; depth < length; depth++) {
    const bits = code >>> (length - depth)
    const bit = bits & 1
    node.branches[bit] ??= addNode(depth, bits === 2 ** depth - 1)
    node = node.branches[bit] as Node
  }
  node.branches[code & 1] = symbol
}

/** Codes have at least five bits, so four bits complete at most one symbol. */
function fillStep(from: Node, bits: number): void {
  const step = from.number * 16 + bits
  let node = from
  for (let shift = 3; shift >= 0; shift--) {
    const branch = node.branches[(bits >> shift) & 1] as Branch
    if (branch === END_OF_STRING) {
      nextNodes[step] = DEAD_END
      return
    }
    if (typeof branch === 'number') symbols[step] = branch
    node = typeof branch === 'number' ? root : branch
  }
  nextNodes[step] = node.number
}

/** Reused for every string that fits. */
const scratch = Buffer.alloc(4_096)

/** Decodes the string between `start` and `end` to one character per octet. */
export function decodeHuffman(bytes: Buffer, start: number, end: number): string {
  // The shortest codes have five bits.
  const maxLength = Math.ceil(((end - start) * 8) / 5)
  const text = maxLength <= scratch.length ? scratch : Buffer.allocUnsafe(maxLength)
  let length = 0
  let node = 0
  for (let index = start; index < end; index++) {
    const octet = bytes[index] as number
    for (let shift = 4; shift >= 0; shift -= 4) {
      const bits = (octet >> shift) & 15
      const step = node * 16 + bits
      if (nextNodes[step] === NOT_FILLED) fillStep(nodes[node] as Node, bits)
      const symbol = symbols[step] as number
      if (symbol !== NO_SYMBOL) text[length++] = symbol
      node = nextNodes[step] as number
      if (node === DEAD_END) {
        throw new Http2ConnectionError(
          ERROR_CODE.COMPRESSION_ERROR,
          'a string contains the end-of-string symbol',
        )
      }
    }
  }
  if (!nodes[node]?.mayEnd) {
    throw new Http2ConnectionError(ERROR_CODE.COMPRESSION_ERROR, 'a string has invalid padding')
  }
  return text.toString('latin1', 0, length)
}
