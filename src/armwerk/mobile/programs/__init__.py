"""Programs that come with the mobile robots; copy one to begin your own."""
