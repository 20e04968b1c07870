// Written by `sobre contract types`. Edit the schemas instead.
export type { SubjectBodies } from "sobre/message";

/** catalog.category 1.1 */
export type CatalogCategoryV1 = {
  readonly name: string;
  readonly children?: readonly CatalogCategoryV1[] | undefined;
  readonly hidden?: boolean | undefined;
};

export type CatalogCategory = CatalogCategoryV1;

/** orders.placed 1.1 */
export type OrdersPlacedV1 = {
  readonly id: string;
  readonly customer?: string | undefined;
  readonly lines: readonly {
    readonly sku: string;
    readonly quantity: number;
  }[];
  readonly note?: string | null | undefined;
};

export type OrdersPlaced = OrdersPlacedV1;

/** parcel.scanned 1.1 */
export type ParcelScannedV1 = {
  /** A 64-bit number. */
  readonly parcel: string;
  readonly at: string;
  /** The barcode as it was read. */
  readonly label?: string | undefined;
  readonly belt?: number | null | undefined;
};

export type ParcelScanned = ParcelScannedV1;

/** stock.moved 1.1 */
export type StockMovedV1 = StockMovedV1Moved;

/** shop.stock.Moved */
export type StockMovedV1Moved = {
  readonly sku: string;
  readonly quantity: bigint;
  readonly reason: "REASON_UNSPECIFIED" | "REASON_SALE" | "REASON_RETURN" | number;
  readonly warehouse?: string | undefined;
};

export type StockMoved = StockMovedV1;

declare module "sobre/message" {
  interface SubjectBodies {
    readonly "catalog.category": CatalogCategory;
    readonly "orders.placed": OrdersPlaced;
    readonly "parcel.scanned": ParcelScanned;
  }
}
